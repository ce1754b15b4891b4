/** Thirty kinds of damage to the ledger of the stand. */
import { randomUUID } from 'node:crypto'
import type { Nova } from '../nova-plugin/nova.ts'
import type { StandCloud } from './cloud.ts'
import type { Allocations, Amounts, LedgerApi } from './ledger.ts'

export interface Finding {
  readonly kind: string
  readonly subject: string
}

/** The expected finding; `fix`: whether the ledger can be repaired, or only Nova. */
export interface Damage extends Finding {
  readonly fix: boolean
}

const SMALL: Amounts = { VCPU: 1, MEMORY_MB: 64, DISK_GB: 2 }
const COMPUTE = { inventories: { VCPU: { total: 8 }, MEMORY_MB: { total: 4096 } }, traits: ['COMPUTE_NODE'] }

export class Damager {
  readonly #ledger: LedgerApi
  readonly #nova: Nova
  readonly #cloud: StandCloud
  readonly #done: Damage[] = []
  readonly #after: Finding[] = []
  readonly #uuids = new Map<string, string>()

  constructor(ledger: LedgerApi, nova: Nova, cloud: StandCloud) {
    this.#ledger = ledger
    this.#nova = nova
    this.#cloud = cloud
  }

  async damageAll(): Promise<readonly Damage[]> {
    for (const host of this.#nova.hosts) this.#uuids.set(host, await this.#ledger.uuidOf(host))
    await this.#damageServers()
    await this.#damageAmounts()
    await this.#damageMoves()
    await this.#leaveOrphans()
    await this.#damageProviders()
    return this.#done
  }

  /** The findings that only nova-compute can repair: all that is left after a repair. */
  get left(): readonly Finding[] {
    return [...this.#done.filter(({ fix }) => !fix), ...this.#after]
  }

  #on(host: string, resources: Amounts = SMALL): Allocations {
    return { [this.#uuids.get(host) as string]: { resources } }
  }

  #note(kind: string, subject: string, fix = true): void {
    this.#done.push({ kind, subject, fix })
  }

  async #damageServers(): Promise<void> {
    const { servers } = this.#cloud
    await this.#ledger.release(servers.missing)
    this.#note('missing', servers.missing)
    await this.#ledger.hold(servers.wrongHost, this.#on('cn3'))
    this.#note('wrong-host', servers.wrongHost)
    await this.#ledger.hold(servers.doubled, { ...this.#on('cn1'), ...this.#on('cn3') })
    this.#note('doubled', servers.doubled)
    await this.#ledger.hold(servers.owner, this.#on('cn1'), { project_id: 'someone', user_id: 'else' })
    this.#note('wrong-owner', servers.owner)
    await this.#ledger.hold(servers.typed, this.#on('cn1'), { consumer_type: 'VOLUME' })
    this.#note('wrong-type', servers.typed)
    await this.#ledger.hold(servers.shelved, this.#on('cn2'))
    this.#note('offloaded', servers.shelved)
    await this.#ledger.hold(servers.hostless, this.#on('cn2'))
    this.#note('on-no-host', servers.hostless)
    const owner = { project_id: 'demo', user_id: 'admin', consumer_type: null }
    await this.#ledger.import({
      consumer: { uuid: servers.stale, generation: 0, ...owner, allocations: this.#on('cn1') },
    })
    this.#note('stale-generation', servers.stale)
  }

  async #damageAmounts(): Promise<void> {
    const { servers } = this.#cloud
    const { server } = await this.#nova.ask('GET', `/servers/${servers.resized}`)
    await this.#ledger.hold(servers.resized, this.#on(server['OS-EXT-SRV-ATTR:host']))
    this.#note('wrong-amount', servers.resized)
    await this.#ledger.hold(servers.missingClass, this.#on('cn1', { VCPU: 1, MEMORY_MB: 64 }))
    this.#note('missing-class', servers.missingClass)
    await this.#ledger.hold(servers.diskless, this.#on('cn1', { VCPU: 1, MEMORY_MB: 64, DISK_GB: 5 }))
    this.#note('unrequested-class', servers.diskless)
    const magic = { inventories: { CUSTOM_MAGIC: { total: 4 } } }
    const child = await this.#ledger.makeProvider('cn3-slow-child', magic, this.#uuids.get('cn3'))
    const now = await this.#ledger.allocationsOf(servers.nested)
    const root = this.#uuids.get('cn3') as string
    await this.#ledger.hold(servers.nested, {
      [root]: now[root] as { resources: Amounts },
      [child]: { resources: { CUSTOM_MAGIC: 1 } },
    })
    this.#note('wrong-child', servers.nested)
    const nfs = await this.#ledger.makeProvider('nfs-of-others', {
      inventories: { DISK_GB: { total: 1000 } },
      traits: ['MISC_SHARES_VIA_AGGREGATE'],
      aggregates: [randomUUID()],
    })
    await this.#ledger.hold(servers.sharing, {
      ...this.#on('cn1', { VCPU: 1, MEMORY_MB: 64 }),
      [nfs]: { resources: { DISK_GB: 2 } },
    })
    this.#note('wrong-sharing-provider', servers.sharing)
  }

  async #damageMoves(): Promise<void> {
    const { servers, migrationOf } = this.#cloud
    await this.#ledger.hold(servers.moved, { ...this.#on('cn1'), ...this.#on('cn2') })
    this.#note('doubled-after-migration', servers.moved)
    await this.#ledger.hold(servers.evacuated, { ...this.#on('cn1'), ...this.#on('cn5') })
    this.#note('doubled-after-evacuation', servers.evacuated)
    const confirmed = await migrationOf('confirmed')
    await this.#ledger.hold(confirmed, this.#on('cn1'))
    this.#note('finished-migration', confirmed)
    await this.#ledger.hold(servers.failed, this.#on('cn1'))
    await this.#ledger.hold(await migrationOf('failed'), this.#on('cn2'))
    this.#note('unreverted-migration', servers.failed)
    await this.#ledger.release(await migrationOf('unheld'))
    this.#note('unheld-source', servers.unheld)
  }

  async #leaveOrphans(): Promise<void> {
    await this.#ledger.hold(this.#cloud.servers.deleted, this.#on('cn5'))
    this.#note('orphaned-deleted', this.#cloud.servers.deleted)
    for (const [kind, type] of [
      ['orphaned', 'INSTANCE'],
      ['orphaned-migration', 'MIGRATION'],
    ] as const) {
      const uuid = randomUUID()
      await this.#ledger.hold(uuid, this.#on('cn3'), { consumer_type: type })
      this.#note(kind, uuid)
    }
  }

  async #damageProviders(): Promise<void> {
    const { joined, strange } = this.#cloud.aggregates
    const [cn4, cn5, cn6, cn7] = [4, 5, 6, 7].map(at => this.#uuids.get(`cn${at}`)) as [
      string,
      string,
      string,
      string,
    ]
    const ledger = this.#ledger
    // A nova-compute that runs would remove it itself after a while.
    await ledger.change(cn7, 'traits', (now: string[]) => [...now, 'COMPUTE_STATUS_DISABLED'])
    this.#note('disabled-trait-left', cn7)
    await this.#disable('cn5')
    this.#note('disabled-trait-missing', cn5)
    await ledger.change(cn5, 'aggregates', (now: string[]) => now.filter(one => one !== joined))
    this.#note('aggregate-missing', cn5)
    await ledger.ask('PUT', `/resource_providers/${cn5}`, {
      name: 'cn5.old.example',
      parent_provider_uuid: null,
    })
    this.#note('renamed-compute', cn5)
    await ledger.change(cn6, 'aggregates', (now: string[]) => [...now, strange])
    this.#note('aggregate-left', cn6)
    await ledger.change(cn7, 'inventories', () => ({}))
    this.#note('lost-inventory', cn7, false)
    const rack = await ledger.makeProvider('rack', { inventories: {} })
    await ledger.ask('PUT', `/resource_providers/${cn7}`, { name: 'cn7', parent_provider_uuid: rack })
    this.#note('compute-not-root', cn7)
    await this.#replaceCompute(cn4)
    this.#note('gone-compute', await ledger.makeProvider('cn-gone', COMPUTE))
  }

  /** A host that is down does not notice, and sets no trait. */
  async #disable(host: string): Promise<void> {
    const { services } = await this.#nova.ask('GET', `/os-services?binary=nova-compute&host=${host}`)
    const path = `/os-services/${services[0].id}`
    // Nova would wait for it otherwise.
    await this.#nova.ask('PUT', path, { forced_down: true })
    await this.#nova.ask('PUT', path, { status: 'disabled' })
  }

  async #replaceCompute(uuid: string): Promise<void> {
    const { resource_providers: tree } = await this.#ledger.ask('GET', `/resource_providers?in_tree=${uuid}`)
    const children = tree.filter((one: { uuid: string }) => one.uuid !== uuid)
    for (const one of [...children, { uuid }])
      await this.#ledger.ask('DELETE', `/resource_providers/${one.uuid}`)
    this.#note('replaced-compute', await this.#ledger.makeProvider('cn4', COMPUTE))
    this.#after.push({ kind: 'missing-provider', subject: uuid })
  }
}

/** Consumers of others on the same hosts, which must stay as they are. */
export async function addForeign(ledger: LedgerApi): Promise<readonly string[]> {
  const [reservation, unknown] = [randomUUID(), randomUUID()]
  const cn1 = await ledger.uuidOf('cn1')
  await ledger.hold(reservation, { [cn1]: { resources: { VCPU: 2 } } }, { consumer_type: 'RESERVATION' })
  await ledger.hold(unknown, { [cn1]: { resources: { VCPU: 1, MEMORY_MB: 32 } } })
  return [reservation, unknown]
}
