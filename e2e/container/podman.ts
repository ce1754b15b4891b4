/** Runs the container as an engine does, with the network of this machine. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Pod, writeVolumes } from './pod.ts'

const run = promisify(execFile)
const OUTPUT_MAX = 10_000_000
/** crun, podman's first choice, refuses machines that have both kinds of control groups. */
const ENGINE = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
/** Podman's defaults need more than an ordinary machine allows, and timers of systemd. */
const ALWAYS = [
  '--network',
  'host',
  '--no-healthcheck',
  '--ulimit',
  'nofile=4096:4096',
  '--ulimit',
  'nproc=4096:4096',
]

interface Ended {
  readonly code: number
  readonly out: string
}

export class Podman {
  readonly #image: string
  readonly #directory: string
  readonly #running = new Set<string>()
  #count = 0

  private constructor(image: string, directory: string) {
    this.#image = image
    this.#directory = directory
  }

  static async start(image: string): Promise<Podman> {
    return new Podman(image, await mkdtemp(join(tmpdir(), 'container-')))
  }

  async #ask(...args: readonly string[]): Promise<Ended> {
    try {
      const { stdout, stderr } = await run('podman', [...ENGINE, ...args], { maxBuffer: OUTPUT_MAX })
      return { code: 0, out: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: unknown; stdout?: string; stderr?: string }
      if (typeof code !== 'number') throw error
      return { code, out: `${stdout ?? ''}${stderr ?? ''}` }
    }
  }

  async #arguments(pod: Pod): Promise<string[]> {
    const volumes = await writeVolumes(pod, join(this.#directory, String(++this.#count)))
    return [
      ...ALWAYS,
      ...(pod.user === null ? [] : ['--user', String(pod.user)]),
      ...(pod.isReadOnly ? ['--read-only', '--read-only-tmpfs=false'] : []),
      ...Object.entries(pod.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...volumes.flatMap(volume => ['--volume', volume]),
      ...(pod.command === null ? [] : ['--entrypoint', JSON.stringify(pod.command)]),
      this.#image,
      ...(pod.args ?? []),
    ]
  }

  /** Runs it to its end. */
  async finish(pod: Pod): Promise<Ended> {
    return this.#ask('run', '--rm', ...(await this.#arguments(pod)))
  }

  /** Starts it and returns its name. */
  async begin(pod: Pod): Promise<string> {
    const name = `berth-proof-${process.pid}-${this.#count + 1}`
    this.#running.add(name)
    const { code, out } = await this.#ask('run', '--detach', '--name', name, ...(await this.#arguments(pod)))
    if (code !== 0) throw new Error(out)
    return name
  }

  exec(name: string, command: readonly string[], user?: string): Promise<Ended> {
    return this.#ask('exec', ...(user === undefined ? [] : ['--user', user]), name, ...command)
  }

  async logs(name: string): Promise<string> {
    return (await this.#ask('logs', name)).out
  }

  /** Stops it as the engine does; returns the exit code. */
  async stop(name: string): Promise<number> {
    await this.#ask('stop', '--time', '20', name)
    const { out } = await this.#ask('inspect', '--format', '{{.State.ExitCode}}', name)
    await this.#ask('rm', '--force', name)
    this.#running.delete(name)
    return Number(out)
  }

  async end(): Promise<void> {
    for (const name of this.#running) await this.#ask('rm', '--force', '--time', '1', name)
    await rm(this.#directory, { recursive: true, force: true })
  }
}
