/** The `openstack` command as one process that reads commands from its standard input: starting it takes seconds. */
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

interface Said {
  readonly out: string
  readonly err: string
}

/** A cloud of a clouds.yaml. */
interface Cloud {
  readonly cloud: string
  readonly cloudsFile: string
  readonly variables?: Readonly<Record<string, string>>
}

export interface Server {
  /** Where Placement, or another service, is. */
  readonly endpoint: string
  readonly token: string
  /** Other options of the client. */
  readonly variables?: Readonly<Record<string, string>>
}

const ANSWER_MS_MAX = 30_000

export class Openstack {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #unread = { out: '', err: '' }
  #marks = 0
  #ended = false
  #heard: () => void = () => undefined

  constructor(server: Server | Cloud, version: string) {
    this.#child = spawn('openstack', [], {
      env: { ...process.env, ...environment(server, version) },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#listen(this.#child.stdout, 'out')
    this.#listen(this.#child.stderr, 'err')
    this.#child.stdin.on('error', () => undefined)
    this.#child.on('error', error => this.#end(`\n${error.message}`))
    this.#child.on('close', () => this.#end(''))
  }

  /** The output of a command. */
  async say(command: string): Promise<Said> {
    const mark = `@@${++this.#marks}@@`
    this.#child.stdin.write(`${command}\nshell sh -c 'echo ${mark}; echo ${mark} >&2'\n`)
    const deadline = AbortSignal.timeout(ANSWER_MS_MAX)
    deadline.addEventListener('abort', () => this.#heard())
    while (!(this.#unread.out.includes(mark) && this.#unread.err.includes(mark))) {
      assert(!this.#ended, `openstack ended at '${command}': ${this.#unread.err}`)
      assert(!deadline.aborted, `no answer to '${command}' within ${ANSWER_MS_MAX} ms`)
      await this.#nextWord()
    }
    return { out: this.#upTo('out', mark), err: this.#upTo('err', mark) }
  }

  /** The answer of a command that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async json(command: string): Promise<any> {
    const { out, err } = await this.say(`${command} -f json`)
    assert.equal(err, '', `'${command}' complains`)
    return JSON.parse(out)
  }

  /** Runs a command that must succeed without output. */
  async quiet(command: string): Promise<void> {
    assert.deepEqual(await this.say(command), { out: '', err: '' }, `'${command}' prints something`)
  }

  /** The error of a command that must fail. */
  async refused(command: string): Promise<string> {
    const { out, err } = await this.say(command)
    assert.equal(out, '', `'${command}' is not refused`)
    assert.notEqual(err, '', `'${command}' is not refused`)
    return err
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#child.stdin.end()
    await once(this.#child, 'close')
  }

  #listen(stream: Readable, name: keyof Said): void {
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.#unread[name] += text
      this.#heard()
    })
  }

  #end(why: string): void {
    this.#ended = true
    this.#unread.err += why
    this.#heard()
  }

  #nextWord(): Promise<void> {
    return new Promise(resolve => {
      this.#heard = resolve
    })
  }

  #upTo(name: keyof Said, mark: string): string {
    const unread = this.#unread[name]
    const at = unread.indexOf(mark)
    this.#unread[name] = unread.slice(at + mark.length + 1)
    return unread.slice(0, at).trim()
  }
}

/** How the client finds a server: by a file, or by address and token without an identity service. */
export function environment(server: Server | Cloud, version: string): Record<string, string> {
  return {
    ...('cloud' in server
      ? { OS_CLOUD: server.cloud, OS_CLIENT_CONFIG_FILE: server.cloudsFile }
      : { OS_AUTH_TYPE: 'admin_token', OS_TOKEN: server.token, OS_ENDPOINT: server.endpoint }),
    OS_PLACEMENT_API_VERSION: version,
    PYTHONUNBUFFERED: '1',
    PYTHONWARNINGS: 'ignore',
    LC_ALL: 'C.UTF-8',
    ...server.variables,
  }
}
