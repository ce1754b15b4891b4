/** Debian's Keystone in its own directory: SQLite, no web server, one process. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { freePort } from '../../scripts/free-port.ts'

const run = promisify(execFile)
const TOKEN_S = 3_600
const START_MS_MAX = 60_000

/** Its built-in server handles one connection at a time, so a client that keeps its connection would block all others. */
const SERVE = `
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from keystone.server.wsgi import initialize_public_application

class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass

port = int(sys.argv.pop())
make_server('127.0.0.1', port, initialize_public_application(), Server, Quiet).serve_forever()
`

export const ADMIN_PASSWORD = 'keystone-admin'

export class RealKeystone {
  readonly url: string
  readonly #directory: string
  readonly #config: string
  readonly #port: number
  #child: ChildProcess | null = null

  private constructor(directory: string, config: string, port: number) {
    this.url = `http://127.0.0.1:${port}/v3`
    this.#directory = directory
    this.#config = config
    this.#port = port
  }

  static async start(): Promise<RealKeystone> {
    const directory = await mkdtemp(join(tmpdir(), 'keystone-'))
    const config = join(directory, 'keystone.conf')
    const keys = join(directory, 'fernet')
    await mkdir(keys, { mode: 0o700 })
    await writeFile(
      config,
      [
        '[DEFAULT]',
        `log_file = ${join(directory, 'keystone.log')}`,
        '[database]',
        `connection = sqlite:///${join(directory, 'keystone.db')}`,
        '[fernet_tokens]',
        `key_repository = ${keys}`,
        '[fernet_receipts]',
        `key_repository = ${keys}`,
        '[cache]',
        'enabled = false',
        '[token]',
        `expiration = ${TOKEN_S}`,
        '',
      ].join('\n'),
    )
    const port = await freePort()
    const keystone = new RealKeystone(directory, config, port)
    const me = (await run('id', ['-un'])).stdout.trim()
    const group = (await run('id', ['-gn'])).stdout.trim()
    await keystone.#manage('db_sync')
    // Keystone leaves cursors open; without this its own readers lock out its writers.
    const database = new DatabaseSync(join(directory, 'keystone.db'))
    database.exec('PRAGMA journal_mode = WAL')
    database.close()
    await keystone.#manage('fernet_setup', '--keystone-user', me, '--keystone-group', group)
    await keystone.#manage(
      ...['bootstrap', '--bootstrap-password', ADMIN_PASSWORD, '--bootstrap-public-url', keystone.url],
      ...['--bootstrap-region-id', 'RegionOne'],
    )
    await keystone.up()
    return keystone
  }

  async #manage(...args: readonly string[]): Promise<void> {
    await run('keystone-manage', ['--config-file', this.#config, ...args])
  }

  /** Sets the lifetime of new tokens. */
  async up(tokenS = TOKEN_S): Promise<void> {
    const config = await readFile(this.#config, 'utf8')
    await writeFile(this.#config, config.replace(/^expiration = .*$/m, `expiration = ${tokenS}`))
    this.#child = spawn('/usr/bin/python3', ['-c', SERVE, String(this.#port)], {
      env: { ...process.env, OS_KEYSTONE_CONFIG_FILES: this.#config, PYTHONWARNINGS: 'ignore' },
      stdio: 'ignore',
    })
    const deadline = Date.now() + START_MS_MAX
    while (Date.now() < deadline) {
      const answer = await fetch(this.url).catch(() => null)
      if (answer?.ok === true) return
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    await this.down()
    throw new Error('Keystone did not start in time')
  }

  /** A token for a user in a project of the default domain. */
  async tokenOf(name: string, password: string, project: string): Promise<string> {
    const domain = { id: 'default' }
    const answer = await fetch(`${this.url}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: {
          identity: { methods: ['password'], password: { user: { name, domain, password } } },
          scope: { project: { name: project, domain } },
        },
      }),
    })
    if (answer.status !== 201) throw new Error(`${name} does not get a token: ${await answer.text()}`)
    return answer.headers.get('x-subject-token') as string
  }

  /** Sends a request as the admin of Keystone. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  ): Promise<any> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'x-auth-token': await this.tokenOf('admin', ADMIN_PASSWORD, 'admin'),
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  /** A user with one role in a project; creates both if missing. Returns the id of the user. */
  async addUser(name: string, password: string, project: string, role: string): Promise<string> {
    const projectId = await this.#idOf('project', { name: project, domain_id: 'default' })
    const roleId = await this.#idOf('role', { name: role })
    const fields = { name, password, domain_id: 'default', default_project_id: projectId }
    const { user } = await this.ask('POST', '/users', { user: fields })
    await this.ask('PUT', `/projects/${projectId}/users/${user.id}/roles/${roleId}`)
    return user.id
  }

  async #idOf(kind: 'project' | 'role', fields: Named): Promise<string> {
    const found = (await this.ask('GET', `/${kind}s?name=${fields.name}`))[`${kind}s`]
    const [one] = found.length > 0 ? found : [(await this.ask('POST', `/${kind}s`, { [kind]: fields }))[kind]]
    return one.id
  }

  /** A service in the catalog, with the same address for all interfaces. */
  async addService(type: string, url: string): Promise<void> {
    const { service } = await this.ask('POST', '/services', { service: { type, name: type } })
    for (const one of ['public', 'internal'])
      await this.ask('POST', '/endpoints', {
        endpoint: { service_id: service.id, interface: one, region_id: 'RegionOne', url },
      })
  }

  /** The end of its log, for failures. */
  async lastWords(): Promise<string> {
    const text = await readFile(join(this.#directory, 'keystone.log'), 'utf8').catch(() => '')
    return text.slice(-4_000)
  }

  async down(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async end(): Promise<void> {
    await this.down()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

interface Named {
  readonly name: string
  readonly domain_id?: string
}
