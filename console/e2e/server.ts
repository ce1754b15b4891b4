/** Berth as it was built, with a store of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/berth', import.meta.url))

const versionAt = (path: string): string =>
  path.startsWith('/compute')
    ? 'compute 2.93'
    : path.startsWith('/share')
      ? 'shared-file-system 2.83'
      : 'placement 1.39'

export class Server {
  readonly directory = mkdtempSync(join(tmpdir(), 'berth-console-'))
  flags: readonly string[]
  env: Readonly<Record<string, string>> = {}
  #stop: () => Promise<void> = async () => undefined
  url = ''

  constructor(...flags: readonly string[]) {
    this.flags = flags
  }

  /** On the port that it had before, if it had one. */
  async start(): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(program, ['serve', '--port', port, '--log-level', 'warn', ...this.flags], {
      cwd: this.directory,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'))),
        ...this.env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const [line] = await once(createInterface(child.stdout), 'line')
    const url = / listens on (http:\S+?),?$/.exec(String(line))?.[1]
    if (url === undefined) throw new Error(`the server did not start: ${line}`)
    this.url = url
    this.#stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  async end(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }

  get adminToken(): string {
    return readFileSync(join(this.directory, 'berth-data/admin-token'), 'utf8').trim()
  }

  get adminPassword(): string {
    return readFileSync(join(this.directory, 'berth-data/admin-password'), 'utf8').trim()
  }

  /** Asks as an admin, behind the back of the page. */
  async ask<T = unknown>(method: string, path: string, body?: unknown, token = 'admin'): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        'x-auth-token': token,
        'openstack-api-version': versionAt(path),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }
}
