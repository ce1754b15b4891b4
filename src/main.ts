import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { exitCodes } from './cli/connection/exit-codes.ts'
import type { Output, ProcessEnvironment, Signal } from './cli/process-environment.ts'

/** The only file that touches the process. */

// `fetch` parses HTTP in WebAssembly. When V8 compiles its wrappers anew, in a process with
// worker threads, it now and then ends the process (`Check failed: jit_page.has_value()`): let them stay as they are.
setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000')

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const around: ProcessEnvironment = {
  version,
  env: process.env,
  homeDirectory: homedir(),
  consoleDirectory: fileURLToPath(new URL('../dist/console/', import.meta.url)),
  // Touched only when asked for: a pipe that was opened for reading keeps the process from ending.
  stdin: {
    get isTerminal() {
      return process.stdin.isTTY === true
    },
    chunks: () => process.stdin,
  },
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  nowMs: () => performance.now(),
  onSignal: handler => {
    for (const signal of ['SIGINT', 'SIGTERM'] satisfies Signal[]) process.on(signal, () => handler(signal))
  },
  onHangUp: handler => void process.on('SIGHUP', handler),
  exit: code => process.exit(code),
}

// Loaded only now, so that what was compiled at an earlier start is used: that is a third of the time it takes.
enableCompileCache()
try {
  const { runProgram } = await import('./cli/program.ts')
  const exitCode = await runProgram(process.argv.slice(2), around)
  await Promise.all([waitUntilWritten(process.stdout), waitUntilWritten(process.stderr)])
  process.exit(exitCode)
} catch (bug) {
  process.stderr.write(`berth: internal error: ${bug instanceof Error ? bug.stack : String(bug)}\n`)
  process.exit(exitCodes.broken)
}

/** What goes into a pipe is still on its way when `write` returns; ending now would cut it off. */
function waitUntilWritten(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    if (stream.destroyed || stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
}

function output(stream: NodeJS.WriteStream): Output {
  const reader = new AbortController()
  // Whoever reads the output may leave early (`berth config | head -1`): that is no error of ours.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    reader.abort()
  })
  return {
    write: text => void stream.write(text),
    isTerminal: stream.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: stream.columns || 80,
    rows: stream.rows || 24,
    closed: reader.signal,
  }
}
