import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const TRIES_MAX = 100
const PAUSE_MS = 100

/** The requests about shares that the NFS checks need. */
export class ShareApi {
  readonly #endpoint: string
  readonly #token: string

  constructor(endpoint: string, token: string) {
    this.#endpoint = endpoint
    this.#token = token
  }

  async create(share_type: string): Promise<string> {
    const body = { share: { share_proto: 'NFS', size: 1, share_type } }
    const { share } = await this.#ask('POST', '/shares', body)
    await this.#once(share.id, { status: 'available' })
    return share.id
  }

  async exportPath(share: string): Promise<string> {
    return (await this.#ask('GET', `/shares/${share}/export_locations`)).export_locations[0].path
  }

  /** Creates a rule, waits until it is active, and returns its id. */
  async allow(share: string, access_to: string, access_level: 'rw' | 'ro'): Promise<string> {
    const wish = { allow_access: { access_type: 'ip', access_to, access_level } }
    const { access } = await this.#ask('POST', `/shares/${share}/action`, wish)
    await this.#once(share, { access_rules_status: 'active' })
    return access.id
  }

  async deny(share: string, access_id: string): Promise<void> {
    await this.#ask('POST', `/shares/${share}/action`, { deny_access: { access_id } })
    await this.#once(share, { access_rules_status: 'active' })
  }

  async migrate(share: string, host: string): Promise<void> {
    const flags = {
      writable: false,
      nondisruptive: false,
      preserve_metadata: false,
      preserve_snapshots: false,
    }
    await this.#ask('POST', `/shares/${share}/action`, { migration_start: { host, ...flags } })
    await this.#once(share, { task_state: 'migration_driver_phase1_done' })
    await this.#ask('POST', `/shares/${share}/action`, { migration_complete: null })
    await this.#once(share, { task_state: 'migration_success', access_rules_status: 'active' })
  }

  async remove(share: string): Promise<void> {
    await this.#ask('DELETE', `/shares/${share}`)
  }

  async #once(share: string, wanted: Readonly<Record<string, string>>): Promise<void> {
    for (let tries = 0; ; tries++) {
      const { share: shown } = await this.#ask('GET', `/shares/${share}`)
      if (Object.entries(wanted).every(([field, value]) => shown[field] === value)) return
      assert(
        tries < TRIES_MAX,
        `share ${share} is not ${JSON.stringify(wanted)} but ${JSON.stringify(shown)}`,
      )
      await sleep(PAUSE_MS)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async #ask(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(`${this.#endpoint}${path}`, {
      method,
      headers: {
        'x-auth-token': this.#token,
        'x-openstack-manila-api-version': '2.72',
        'x-openstack-manila-api-experimental': 'True',
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
}
