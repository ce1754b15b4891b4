import { defineConfig } from 'vitest/config'
import { shareCompiledCode, WITHOUT_WASM_TIER_UP } from './test/node-flags.ts'

shareCompiledCode()

export default defineConfig({
  test: {
    // Vitest leaves one processor to itself: of two, half.
    maxWorkers: '100%',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts', 'packaging/**/*.test.ts'],
    isolate: false,
    execArgv: WITHOUT_WASM_TIER_UP,
    setupFiles: ['test/fixed-chance.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
