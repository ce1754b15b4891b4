/** A cloud in which every operation that changes the ledger has happened once. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Nova } from '../nova-plugin/nova.ts'
import type { LedgerApi } from './ledger.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of Nova
type Answer = any

const WAIT_MS = 240_000
const FAST = 'CUSTOM_STAND_FAST'

/** Servers by their story, with the host on which each begins. */
const PLACES = {
  whole: 'cn1',
  missing: 'cn1',
  wrongHost: 'cn1',
  resized: 'cn1',
  missingClass: 'cn1',
  doubled: 'cn1',
  sharing: 'cn1',
  owner: 'cn1',
  typed: 'cn1',
  stale: 'cn1',
  moved: 'cn1',
  confirmed: 'cn1',
  waiting: 'cn1',
  unheld: 'cn1',
  shelved: 'cn1',
  failed: 'cn2',
  evacuated: 'cn5',
  deleted: 'cn5',
  leftBehind: 'cn6',
  diskless: 'cn1',
  nested: 'cn3',
} as const
type ServerName = keyof typeof PLACES | 'hostless'

export interface StandCloud {
  readonly servers: Readonly<Record<ServerName, string>>
  /** The uuid of the last migration of a server. */
  readonly migrationOf: (server: ServerName) => Promise<string>
  readonly aggregates: { readonly joined: string; readonly strange: string }
}

interface Tools {
  readonly nova: Nova
  readonly ledger: LedgerApi
  readonly runDirectory: string
  readonly control: (...words: string[]) => Promise<void>
}

export class Preparation {
  readonly #tools: Tools
  readonly #servers = new Map<ServerName, string>()

  constructor(tools: Tools) {
    this.#tools = tools
  }

  async prepare(): Promise<StandCloud> {
    const { ledger } = this.#tools
    await ledger.ask('PUT', `/traits/${FAST}`)
    const child = await ledger.uuidOf('cn3-child')
    await ledger.change(child, 'traits', (now: string[]) => [...now, FAST])
    await this.#bootAll()
    // A resize cannot be sent to a host: it must not go to one that will be damaged.
    await this.#switchOthers('disabled')
    await this.#move()
    await this.#switchOthers('enabled')
    await this.#evacuate()
    await this.#end()
    const aggregates = await this.#makeAggregates()
    const servers = Object.fromEntries(this.#servers) as Record<ServerName, string>
    return { servers, aggregates, migrationOf: async name => (await this.#migrationOf(name)).uuid }
  }

  #id(name: ServerName): string {
    const id = this.#servers.get(name)
    assert.ok(id !== undefined, name)
    return id
  }

  async #bootAll(): Promise<void> {
    const { nova } = this.#tools
    const makeFlavor = async (name: string, sizes: object, specs: object = {}) => {
      await nova.ask('POST', '/flavors', { flavor: { id: name, name, vcpus: 1, ram: 64, disk: 1, ...sizes } })
      if (Object.keys(specs).length > 0)
        await nova.ask('POST', `/flavors/${name}/os-extra_specs`, { extra_specs: specs })
    }
    await makeFlavor('small', { swap: 1 })
    await makeFlavor('large', { vcpus: 2, ram: 128, disk: 3 })
    await makeFlavor('diskless', { disk: 0 })
    await makeFlavor('nested', {}, { 'resources1:CUSTOM_MAGIC': '1', [`trait1:${FAST}`]: 'required' })
    await makeFlavor('impossible', { ram: 9_000_000 })
    const flavors: Partial<Record<ServerName, string>> = { diskless: 'diskless', nested: 'nested' }
    for (const [name, host] of Object.entries(PLACES) as [ServerName, string][])
      this.#servers.set(name, await nova.boot(flavors[name] ?? 'small', { name, host }))
    this.#servers.set('hostless', await nova.boot('impossible', { name: 'hostless' }))
    const found = await nova.settle([...this.#servers.values()])
    for (const { name, status, fault } of found)
      assert.equal(status, name === 'hostless' ? 'ERROR' : 'ACTIVE', `${name}: ${fault?.message}`)
  }

  async #switchOthers(status: 'enabled' | 'disabled'): Promise<void> {
    for (const host of ['cn4', 'cn5', 'cn6', 'cn7'])
      await this.#tools.nova.ask('PUT', `/os-services/${await this.serviceOf(host)}`, { status })
  }

  async #act(name: ServerName, action: object): Promise<void> {
    await this.#tools.nova.ask('POST', `/servers/${this.#id(name)}/action`, action)
  }

  /** Waits until the server is as wanted. */
  async #until(name: ServerName, isSo: (server: Answer) => boolean): Promise<void> {
    const untilMs = Date.now() + WAIT_MS
    for (;;) {
      const { server } = await this.#tools.nova.ask('GET', `/servers/${this.#id(name)}`)
      if (server['OS-EXT-STS:task_state'] === null && isSo(server)) return
      assert.ok(Date.now() < untilMs, `${name} is ${server.status} on ${server['OS-EXT-SRV-ATTR:host']}`)
      await sleep(500)
    }
  }

  async #migrationOf(name: ServerName): Promise<Answer> {
    const { migrations } = await this.#tools.nova.ask('GET', `/os-migrations?instance_uuid=${this.#id(name)}`)
    return migrations.reduce(
      (last: Answer, one: Answer) => (last === null || one.id > last.id ? one : last),
      null,
    )
  }

  /** Resizes, cold and live migrations: confirmed, waiting, failed. */
  async #move(): Promise<void> {
    const isVerify = ({ status }: Answer) => status === 'VERIFY_RESIZE'
    const isOn = (host: string) => (server: Answer) => server['OS-EXT-SRV-ATTR:host'] === host
    await writeFile(join(this.#tools.runDirectory, 'knobs', 'livemig-fails-cn2'), '')
    await this.#act('resized', { resize: { flavorRef: 'large' } })
    for (const name of ['confirmed', 'waiting', 'unheld'] as const)
      await this.#act(name, { migrate: { host: 'cn2' } })
    await this.#act('moved', { 'os-migrateLive': { host: 'cn2', block_migration: 'auto' } })
    await this.#act('failed', { 'os-migrateLive': { host: 'cn1', block_migration: 'auto' } })
    await this.#act('shelved', { shelve: null })
    for (const name of ['resized', 'confirmed', 'waiting', 'unheld'] as const)
      await this.#until(name, isVerify)
    for (const name of ['resized', 'confirmed'] as const) await this.#act(name, { confirmResize: null })
    for (const name of ['resized', 'confirmed'] as const)
      await this.#until(name, ({ status }) => status === 'ACTIVE')
    await this.#until('moved', isOn('cn2'))
    await this.#until('shelved', ({ status }) => status === 'SHELVED_OFFLOADED')
    await this.#untilMigration('failed', ['error', 'failed'])
    await this.#until('failed', isOn('cn2'))
  }

  /** Waits until the source host of an evacuated server has released it. */
  untilReleased(name: ServerName): Promise<void> {
    return this.#untilMigration(name, ['completed'])
  }

  async #untilMigration(name: ServerName, statuses: readonly string[]): Promise<void> {
    const untilMs = Date.now() + WAIT_MS
    for (;;) {
      const { status } = await this.#migrationOf(name)
      if (statuses.includes(status)) return
      assert.ok(Date.now() < untilMs, `the migration of ${name} is ${status}`)
      await sleep(500)
    }
  }

  async serviceOf(host: string): Promise<string> {
    const { services } = await this.#tools.nova.ask('GET', `/os-services?binary=nova-compute&host=${host}`)
    return services[0].id
  }

  /** Two hosts die; one comes back and releases the servers that left it. */
  async #evacuate(): Promise<void> {
    const { nova, control } = this.#tools
    for (const host of ['cn5', 'cn6']) {
      await control('kill', host)
      await nova.ask('PUT', `/os-services/${await this.serviceOf(host)}`, { forced_down: true })
    }
    for (const name of ['evacuated', 'leftBehind'] as const)
      await this.#act(name, { evacuate: { host: 'cn1' } })
    for (const name of ['evacuated', 'leftBehind'] as const)
      await this.#until(name, server => server['OS-EXT-SRV-ATTR:host'] === 'cn1')
    await control('start', 'cn5')
    await this.untilReleased('evacuated')
    await nova.ask('PUT', `/os-services/${await this.serviceOf('cn5')}`, { forced_down: false })
  }

  /** A server is deleted, and the hosts whose providers will be damaged stop. */
  async #end(): Promise<void> {
    const { nova, control } = this.#tools
    await nova.remove([this.#id('deleted')])
    for (const host of ['cn4', 'cn5', 'cn7']) await control('stop', host)
  }

  async #makeAggregates(): Promise<StandCloud['aggregates']> {
    const { nova } = this.#tools
    const make = async (name: string) =>
      (await nova.ask('POST', '/os-aggregates', { aggregate: { name } })).aggregate
    const [joined, strange] = [await make('joined'), await make('strange')]
    for (const host of ['cn1', 'cn5'])
      await nova.ask('POST', `/os-aggregates/${joined.id}/action`, { add_host: { host } })
    return { joined: joined.uuid, strange: strange.uuid }
  }
}
