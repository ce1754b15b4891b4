import { defineConfig } from 'vitest/config'
import { WITHOUT_WASM_TIER_UP } from '../../test/node-flags.ts'

/** `npm run e2e`. One file after the other: each has a server and a browser of its own. */
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.e2e.ts'],
    isolate: false,
    execArgv: WITHOUT_WASM_TIER_UP,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a page says is asked for until it says so: parts of it come when their answers come.
    expect: { poll: { timeout: 8_000, interval: 50 } },
  },
})
