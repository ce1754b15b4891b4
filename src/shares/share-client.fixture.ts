/** A server with the share API, for tests. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Answer, Berth } from '../../test/running-berth.ts'

/** Three back ends, of which the first has two pools. */
export const FARM = {
  host: 'farm',
  default_share_type: 'default',
  share_types: [
    {
      name: 'default',
      extra_specs: { snapshot_support: 'True', create_share_from_snapshot_support: 'True' },
    },
    ...['alpha', 'beta', 'gamma'].map(name => ({
      name: `on-${name}`,
      extra_specs: { share_backend_name: name },
    })),
  ],
  backends: [
    {
      name: 'alpha',
      pools: [
        { name: 'a1', total_gb: 100 },
        { name: 'a2', total_gb: 100 },
      ],
    },
    { name: 'beta', pools: [{ name: 'b1', total_gb: 100 }] },
    { name: 'gamma', pools: [{ name: 'c1', total_gb: 100 }] },
  ],
}

interface Asked {
  readonly minor?: number
  readonly body?: unknown
  readonly token?: string
}

const SETTLED_MS_MAX = 10_000
const PASSING = ['creating', 'deleting', 'migrating', 'extending', 'shrinking']

export class ShareClient {
  readonly berth: Berth

  private constructor(berth: Berth) {
    this.berth = berth
  }

  static async start(
    farm: unknown = FARM,
    overrides: Parameters<typeof Berth.start>[0] = {},
  ): Promise<ShareClient> {
    const data_dir = overrides.data_dir ?? (await mkdtemp(join(tmpdir(), 'berth-shares-')))
    if (farm !== null) await writeFile(join(data_dir, 'backends.json'), JSON.stringify(farm))
    return new ShareClient(await Berth.start({ ...overrides, data_dir }))
  }

  async ask(
    method: string,
    path: string,
    { minor = 72, body, token = 'admin:ops' }: Asked = {},
  ): Promise<Answer> {
    const answer = await fetch(`${this.berth.server.url}/share/v2${path}`, {
      method,
      headers: {
        'x-auth-token': token,
        'x-openstack-manila-api-version': `2.${minor}`,
        'x-openstack-manila-api-experimental': 'True',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null }
  }

  /** The id of a new share. */
  async create(fields: object = {}, token = 'admin:ops'): Promise<string> {
    const body = { share: { share_proto: 'NFS', size: 1, ...fields } }
    const { status, json, text } = await this.ask('POST', '/shares', { body, token })
    expect([status, text]).toEqual([200, text])
    expect(json.share).toMatchObject({ status: 'creating' })
    return json.share.id
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async show(id: string): Promise<any> {
    const { status, json } = await this.ask('GET', `/shares/${id}`)
    expect(status).toBe(200)
    return json.share
  }

  async metadata(id: string): Promise<Record<string, string>> {
    return (await this.ask('GET', `/shares/${id}/metadata`)).json.metadata
  }

  /** Waits until the share is in a stable state; null if it is deleted. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async settled(id: string): Promise<any> {
    const end = Date.now() + SETTLED_MS_MAX
    for (;;) {
      const { status, json } = await this.ask('GET', `/shares/${id}`)
      if (status === 404) return null
      const { share } = json
      const isDone = !PASSING.includes(share.status) || share.task_state === 'migration_driver_phase1_done'
      if (isDone) return share
      expect(Date.now(), `share ${id} stays ${share.status}`).toBeLessThan(end)
      await sleep(20)
    }
  }

  /** An available share with its pool. */
  async placed(
    fields: object = {},
    token = 'admin:ops',
  ): Promise<{ readonly id: string; readonly backend: string }> {
    const id = await this.create(fields, token)
    const share = await this.settled(id)
    expect(share.status).toBe('available')
    return { id, backend: share.host.split('#')[0] }
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async messagesAbout(id: string, token = 'admin:ops'): Promise<any[]> {
    return (await this.ask('GET', `/messages?resource_id=${id}`, { token })).json.messages
  }

  async migrate(id: string, host: string, more: object = {}): Promise<Answer> {
    const flags = {
      writable: false,
      nondisruptive: false,
      preserve_metadata: false,
      preserve_snapshots: false,
    }
    return this.ask('POST', `/shares/${id}/action`, {
      body: { migration_start: { host, ...flags, ...more } },
    })
  }

  async remove(id: string): Promise<void> {
    expect((await this.ask('DELETE', `/shares/${id}`)).status).toBe(202)
    expect(await this.settled(id)).toBeNull()
  }

  /** The ledger and the shares must agree after every test. */
  async verify(): Promise<void> {
    const { json } = await this.berth.ask('POST', '/v1/verify')
    expect(json).toMatchObject({ differences: [], problems: [] })
  }
}
