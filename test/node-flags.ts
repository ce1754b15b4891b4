import { join } from 'node:path'

/**
 * `fetch` parses HTTP in WebAssembly. When V8 compiles its wrappers anew, in a process with worker threads, it now and then
 * ends the process (`Check failed: jit_page.has_value()`). With this budget they stay as they are; src/main.ts does the same.
 */
export const WITHOUT_WASM_TIER_UP = ['--wasm-wrapper-tiering-budget=1000000000']

/** Threads and processes that tests start compile each source file once for all: each start takes half the time. */
export function shareCompiledCode(): void {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
}
