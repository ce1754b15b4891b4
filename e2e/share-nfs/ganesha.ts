import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CLIENT_MS_MAX = 20_000
const START_MS_MAX = 30_000
const PORT = 2049

/** NFS-Ganesha and its clients in a network namespace, where connections to an own address come from that address. */
export class Ganesha {
  readonly #directory: string
  readonly #addresses: readonly string[]
  /** Holds the namespace. */
  #holder: ChildProcess | null = null
  #server: ChildProcess | null = null

  private constructor(directory: string, addresses: readonly string[]) {
    this.#directory = directory
    this.#addresses = addresses
  }

  static async prepare(directory: string, addresses: readonly string[]): Promise<Ganesha> {
    const recovery = join(directory, 'recovery')
    await mkdir(recovery, { recursive: true })
    const ganesha = new Ganesha(directory, addresses)
    for (const name of ['plain', 'nasty', 'other']) await writeFile(ganesha.exportsFile(name), '')
    const includes = ['plain', 'nasty', 'other'].map(name => `%include "${ganesha.exportsFile(name)}"\n`)
    await writeFile(
      join(directory, 'ganesha.conf'),
      `NFS_CORE_PARAM { Protocols = 4; NFS_Port = ${PORT}; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }
NFSv4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = "${recovery}"; }
LOG { Default_Log_Level = EVENT; }
${includes.join('')}`,
    )
    return ganesha
  }

  exportsFile(backend: string): string {
    return join(this.#directory, `${backend}.conf`)
  }

  get reloadCommand(): readonly string[] {
    return ['pkill', '-HUP', '-F', this.#pidFile]
  }

  get #pidFile(): string {
    return join(this.#directory, 'pid')
  }

  async start(): Promise<void> {
    this.#holder = spawn('unshare', ['--net', 'sleep', '3600'], { stdio: 'ignore' })
    await sleep(500)
    await this.#inside('ip', ['link', 'set', 'lo', 'up'])
    for (const address of this.#addresses)
      await this.#inside('ip', ['address', 'add', `${address}/32`, 'dev', 'lo'])
    const log = join(this.#directory, 'log')
    const words = ['-F', '-f', join(this.#directory, 'ganesha.conf'), '-L', log, '-p', this.#pidFile]
    this.#server = spawn('nsenter', [...this.#enter, 'ganesha.nfsd', ...words], { stdio: 'ignore' })
    for (const end = Date.now() + START_MS_MAX; ; await sleep(200)) {
      const text = await readFile(log, 'utf8').catch(() => '')
      if (text.includes('NFS SERVER INITIALIZED')) return
      if (Date.now() > end) throw new Error(`NFS-Ganesha does not start:\n${text}`)
    }
  }

  async stop(): Promise<void> {
    const pid = Number(await readFile(this.#pidFile, 'utf8').catch(() => '0'))
    if (pid > 0) process.kill(pid, 'SIGKILL')
    this.#server?.kill('SIGKILL')
    this.#holder?.kill('SIGKILL')
  }

  /** Lists a directory as a client at this address. */
  async list(from: string, path: string): Promise<string> {
    return (await this.#inside('nfs-ls', [this.#url(from, path)])).stdout
  }

  async write(from: string, path: string): Promise<void> {
    await this.#inside('nfs-cp', [join(this.#directory, 'ganesha.conf'), this.#url(from, path)])
  }

  /** libnfs takes a path as it is. */
  #url(from: string, path: string): string {
    return `nfs://${from}${path}?version=4`
  }

  get #enter(): string[] {
    return ['-t', String(this.#holder?.pid), '-n', '--']
  }

  #inside(command: string, words: readonly string[]) {
    return run('nsenter', [...this.#enter, command, ...words], { timeout: CLIENT_MS_MAX })
  }
}
