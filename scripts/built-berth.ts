/** The built Berth in its own process and directory, for scripts that test it from outside. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface BuiltBerth {
  readonly url: string
  readonly token: string
  /** Holds only the data directory; the working directory of the server. */
  readonly directory: string
  stop(): Promise<void>
}

/** The program in dist, rebuilt if the sources changed. */
export function buildIfNeeded(): void {
  const script = fileURLToPath(new URL('build-if-needed.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}

export async function startBuiltBerth(...flags: readonly string[]): Promise<BuiltBerth> {
  return startBuiltBerthWith(async () => undefined, ...flags)
}

/** The caller may prepare the data directory before the start. */
export async function startBuiltBerthWith(
  prepare: (dataDirectory: string) => Promise<void>,
  ...flags: readonly string[]
): Promise<BuiltBerth> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-built-'))
  await mkdir(join(directory, 'berth-data'), { mode: 0o700 })
  await prepare(join(directory, 'berth-data'))
  const clean = () => rm(directory, { recursive: true, force: true })
  const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
  const child = spawn(program, ['serve', '--port', '0', '--log-level', 'warn', ...flags], {
    cwd: directory,
    env: withoutOurVariables(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const firstLine = once(createInterface(child.stdout), 'line').then(([line]) => String(line))
  const line = await Promise.race([firstLine, ended.then(([code]) => `it ended with ${code}`)])
  const url = / listens on (http:[^\s,]+)/.exec(line)?.[1]
  if (url === undefined) {
    child.kill('SIGKILL')
    await clean()
    throw new Error(`berth did not start: ${line}`)
  }
  return {
    url,
    token: (await readFile(join(directory, 'berth-data/admin-token'), 'utf8')).trim(),
    directory,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await clean()
    },
  }
}

/** The environment without the caller's settings of Berth. */
export function withoutOurVariables(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_')))
}
