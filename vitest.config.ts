import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'],
    isolate: false,
    setupFiles: ['test/fixed-chance.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
