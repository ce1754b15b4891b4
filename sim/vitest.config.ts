import { defineConfig } from 'vitest/config'
import { shareCompiledCode, WITHOUT_WASM_TIER_UP } from '../test/node-flags.ts'

shareCompiledCode()

/** `npm run sim`: searches and simulations that take longer than a unit test may. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['sim/**/*.test.ts', 'src/**/*.property.test.ts'],
    env: { BERTH_WHOLE_SEARCH: '1' },
    maxWorkers: '100%',
    isolate: false,
    execArgv: WITHOUT_WASM_TIER_UP,
    setupFiles: ['test/fixed-chance.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
