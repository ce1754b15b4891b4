import { defineConfig } from 'vitest/config'
import { WITHOUT_WASM_TIER_UP } from './test/node-flags.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'],
    isolate: false,
    execArgv: WITHOUT_WASM_TIER_UP,
    setupFiles: ['test/fixed-chance.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
