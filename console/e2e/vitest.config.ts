import { defineConfig } from 'vitest/config'
import { WITHOUT_WASM_TIER_UP } from '../../test/node-flags.ts'

/** `npm run e2e`. Two files at a time, each with a server and a browser of its own, which wait for each other half of the time. */
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.e2e.ts'],
    isolate: false,
    execArgv: WITHOUT_WASM_TIER_UP,
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a page says is asked for until it says so: parts of it come when their answers come. Long enough for a machine that has
    // other work: only a failure takes that long.
    expect: { poll: { timeout: 30_000, interval: 50 } },
  },
})
