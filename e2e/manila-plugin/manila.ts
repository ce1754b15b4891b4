/** A real Manila of the stand, with the part of its API that the tests of the plug-in need. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of Manila
type Answer = any

interface Asked {
  readonly status: number
  readonly json: Answer
  readonly requestId: string
}

type Hints = Readonly<Record<string, unknown>>

const PROJECT = 'ops'
const TOKEN = `admin:${PROJECT}`
const START_MS = 90_000
const SETTLE_MS = 240_000
const POLL_MS = 1_000
const BUSY = new Set(['creating', 'migrating', 'migrating_to', 'deleting'])
/** The final states of a move. */
const ENDS = new Set(['migration_success', 'migration_error', 'migration_cancelled'])
const FIRST_PHASE_DONE = new Set(['migration_driver_phase1_done', 'data_copying_completed'])

const SPECS = { driver_handles_share_servers: 'False' }
const POOLS: Readonly<Record<string, readonly string[]>> = {
  alpha: ['a1', 'a2'],
  beta: ['b1'],
  gamma: ['c1'],
}

/** Types `default`, and `on-X` for each back end and pool X. */
const FARM = {
  host: 'farm',
  default_share_type: 'default',
  share_types: [
    { name: 'default', extra_specs: SPECS },
    ...Object.entries(POOLS).flatMap(([backend, pools]) => [
      { name: `on-${backend}`, extra_specs: { ...SPECS, share_backend_name: backend } },
      ...pools.map(pool => ({ name: `on-${pool}`, extra_specs: { ...SPECS, pool_name: pool } })),
    ]),
  ],
  backends: Object.entries(POOLS).map(([name, pools]) => ({
    name,
    delay_s: 0.05,
    pools: pools.map(pool => ({ name: pool, total_gb: 1000 })),
  })),
}
const POOL_COUNT = Object.values(POOLS).flat().length

export class Manila {
  readonly url: string
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown>

  private constructor(url: string, process: ChildProcess) {
    this.url = url
    this.#process = process
    this.#ended = once(process, 'exit')
  }

  /** A fresh one with its data in `directory`; `settings` are lines of manila.conf. */
  static async start(
    stand: string,
    directory: string,
    packages: string,
    settings: readonly string[],
  ): Promise<Manila> {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'backends.json'), JSON.stringify(FARM))
    const port = await freePort()
    const process_ = spawn('/usr/bin/python3', ['-W', 'ignore', join(stand, 'manila_aio.py')], {
      cwd: directory,
      env: {
        ...process.env,
        PORT: String(port),
        DATA_DIR: directory,
        DEBUG: 'false',
        EXTRA_CONF: ['periodic_interval = 10', ...settings].join('\n'),
        PYTHONPATH: packages,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const manila = new Manila(`http://127.0.0.1:${port}/v2`, process_)
    try {
      await manila.#waitForPools()
      await manila.ask('PUT', `/quota-sets/${PROJECT}`, { quota_set: { shares: 10_000, gigabytes: 100_000 } })
    } catch (error) {
      await manila.stop()
      throw error
    }
    return manila
  }

  async #waitForPools(): Promise<void> {
    const untilMs = Date.now() + START_MS
    for (;;) {
      const answer = await this.ask('GET', '/scheduler-stats/pools').catch(() => null)
      if (answer?.json?.pools?.length === POOL_COUNT) return
      assert.ok(Date.now() < untilMs && this.#process.exitCode === null, 'Manila does not start')
      await sleep(POLL_MS)
    }
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  async ask(method: string, path: string, body?: unknown, token = TOKEN): Promise<Asked> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'x-auth-token': token,
        'x-openstack-manila-api-version': '2.67',
        'x-openstack-manila-api-experimental': 'True',
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      json: text.startsWith('{') ? JSON.parse(text) : text,
      requestId:
        answer.headers.get('x-compute-request-id') ?? answer.headers.get('x-openstack-request-id') ?? '',
    }
  }

  tryCreate(hints: Hints = {}, type = 'default'): Promise<Asked> {
    return this.ask('POST', '/shares', {
      share: { share_proto: 'NFS', size: 1, share_type: type, scheduler_hints: hints },
    })
  }

  /** The uuid of a share that Manila accepted. */
  async begin(hints: Hints = {}, type = 'default'): Promise<string> {
    const { status, json } = await this.tryCreate(hints, type)
    assert.equal(status, 200, JSON.stringify(json))
    return json.share.id
  }

  /** Created and settled: where it is, or `error`. */
  async create(
    hints: Hints = {},
    type = 'default',
  ): Promise<{ readonly id: string; readonly place: string }> {
    const id = await this.begin(hints, type)
    return { id, place: await this.settle(id) }
  }

  async get(id: string): Promise<Answer> {
    return (await this.ask('GET', `/shares/${id}`)).json.share
  }

  /** The pool of a share once it is settled; `error` if it failed. */
  async settle(id: string): Promise<string> {
    const [place] = await this.settleAll([id])
    return place as string
  }

  async settleAll(ids: readonly string[]): Promise<string[]> {
    const untilMs = Date.now() + SETTLE_MS
    for (;;) {
      const { json } = await this.ask('GET', '/shares/detail?limit=1000')
      const found = new Map<string, Answer>(json.shares.map((share: Answer) => [share.id, share]))
      const shares = ids.map(id => found.get(id))
      if (shares.every(share => !BUSY.has(share.status)))
        return shares.map(({ status, host }) => (status === 'available' ? host : status))
      assert.ok(Date.now() < untilMs, 'shares do not settle')
      await sleep(POLL_MS)
    }
  }

  async listHint(id: string, hint: 'same_host' | 'different_host'): Promise<string[]> {
    const { json } = await this.ask('GET', `/shares/${id}/metadata`)
    const value = json.metadata[`__affinity_${hint}`]
    return value === undefined ? [] : value.split(',')
  }

  async countShares(): Promise<number> {
    return (await this.ask('GET', '/shares?limit=1000')).json.shares.length
  }

  /** The result of a move: `migration_success`, or how it failed. */
  async move(id: string, host: string, more: object = {}): Promise<string> {
    const flags = {
      writable: false,
      preserve_metadata: false,
      preserve_snapshots: false,
      nondisruptive: false,
    }
    const started = await this.ask('POST', `/shares/${id}/action`, {
      migration_start: { host, ...flags, ...more },
    })
    if (started.status !== 202) return `${started.status}`
    const untilMs = Date.now() + SETTLE_MS
    let isCompleted = false
    for (;;) {
      const { task_state } = await this.get(id)
      if (ENDS.has(task_state)) return task_state
      if (FIRST_PHASE_DONE.has(task_state) && !isCompleted) {
        isCompleted = true
        await this.ask('POST', `/shares/${id}/action`, { migration_complete: null })
      }
      assert.ok(Date.now() < untilMs, `share ${id} stays ${task_state}`)
      await sleep(POLL_MS)
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.ask('DELETE', `/shares/${id}`)
    const untilMs = Date.now() + SETTLE_MS
    for (const id of ids)
      while ((await this.ask('GET', `/shares/${id}`)).status !== 404) {
        assert.ok(Date.now() < untilMs, `share ${id} does not go`)
        await sleep(POLL_MS)
      }
  }
}

export const backendOf = (pool: string): string => pool.split('#')[0] as string
