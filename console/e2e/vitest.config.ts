import { defineConfig } from 'vitest/config'

/** `npm run e2e`. Two files at a time: each has a server and a browser of its own. */
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.e2e.ts'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
