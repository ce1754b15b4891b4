import type { Cloud } from '../cloud/cloud.ts'
import { CloudFailure } from '../cloud/cloud-failure.ts'
import type { BerthState } from './berth-state.ts'
import {
  findProviders,
  makeAggregateLines,
  makeFlavorLines,
  makeGroupLines,
  makeHostLines,
  makeMemberLines,
  makeServerLine,
} from './nova-rows.ts'
import type { NovaServer, NovaState } from './nova-state.ts'
import type { PullKind, PullLine } from './pull-line.ts'
import { readDefinitions } from './read-glance.ts'
import { MANILA_MINORS, readBackends, readShareTypes } from './read-manila.ts'
import { NOVA_MINORS, readNovaLists, readServers } from './read-nova.ts'
import { ShareFollower } from './share-follower.ts'
import { makeShareLines } from './share-rows.ts'

/** The rows of a cloud, and notes about it. */
interface CloudState {
  readonly wanted: ReadonlyMap<PullKind, readonly PullLine[]>
  readonly notes: readonly string[]
}

/** What the reader remembers of a server. */
interface KnownServer {
  readonly line: PullLine
  /** The provider it runs on; null for none. */
  readonly hypervisor: string | null
}

const NAMED_MAX = 10
/** Changes may show up in the list late, so each read goes back this far. */
const OVERLAP_MS = 60_000

/**
 * Reads a cloud: everything the first time, later only cheap lists and the servers that changed since. Definitions and the projects of
 * private flavors and share types are read again with `isFull` only.
 */
export class CloudReader {
  readonly #cloud: Cloud
  readonly #servers = new Map<string, KnownServer>()
  #newest: string | null = null
  #access: NovaState['access'] = new Map()
  #definitions: PullLine[] | null = null
  #types: PullLine[] | null = null
  readonly #shares = new ShareFollower()

  constructor(cloud: Cloud) {
    this.#cloud = cloud
  }

  async read(here: BerthState, isFull: boolean): Promise<CloudState> {
    const wanted = new Map<PullKind, readonly PullLine[]>()
    const notes = await this.#readNova(here, isFull, wanted)
    if (isFull) await this.#readGlance()
    if (this.#definitions !== null) wanted.set('definitions', this.#definitions)
    notes.push(...(await this.#readManila(here, isFull, wanted)))
    if (wanted.size === 0)
      throw new CloudFailure(
        `cloud ${this.#cloud.settings.name} has neither Nova nor Glance nor Manila in its catalog`,
      )
    return { wanted, notes }
  }

  async #readNova(
    here: BerthState,
    isFull: boolean,
    wanted: Map<PullKind, readonly PullLine[]>,
  ): Promise<string[]> {
    const nova = await this.#cloud.serviceIfAny('compute', NOVA_MINORS)
    if (nova === null) return ['the cloud has no Nova']
    const lists = await readNovaLists(nova, isFull ? new Map() : this.#access)
    this.#access = lists.access
    if (isFull) this.#forgetServers()
    this.#keepServers(await readServers(nova, this.#since()), lists)
    const { byService, unknown } = findProviders(lists, here.providers)
    wanted.set('flavors', makeFlavorLines(lists))
    wanted.set('hosts', makeHostLines(lists, byService))
    wanted.set('aggregates', makeAggregateLines(lists, byService))
    wanted.set(
      'servers',
      [...this.#servers.values()]
        .filter(({ hypervisor }) => hypervisor !== null)
        .map(({ line }) => line)
        .filter(({ row }) => !isFull || here.consumers.has(String(row.consumer))),
    )
    wanted.set('groups', [
      ...makeGroupLines(lists),
      ...makeMemberLines(lists, uuid => here.consumers.has(uuid) || this.#servers.has(uuid)),
    ])
    return [describeUnknown(unknown), ...this.#describeServers(here)].filter(note => note !== null)
  }

  #forgetServers(): void {
    this.#servers.clear()
    this.#newest = null
  }

  #since(): string | null {
    if (this.#newest === null) return null
    return `${new Date(Date.parse(this.#newest) - OVERLAP_MS).toISOString().slice(0, 19)}Z`
  }

  #keepServers(servers: readonly NovaServer[], { flavors }: Pick<NovaState, 'flavors'>): void {
    const flavorIds = new Map(flavors.map(({ name, id }) => [name, id]))
    for (const server of servers) {
      if (this.#newest === null || server.updated > this.#newest) this.#newest = server.updated
      if (server.status === 'DELETED' || server.status === 'SOFT_DELETED') this.#servers.delete(server.id)
      else
        this.#servers.set(server.id, {
          line: makeServerLine(server, flavorIds),
          hypervisor: server['OS-EXT-SRV-ATTR:hypervisor_hostname'] ?? null,
        })
    }
  }

  async #readGlance(): Promise<void> {
    const glance = await this.#cloud.serviceIfAny('image', null)
    if (glance !== null) this.#definitions = await readDefinitions(glance)
  }

  /** Reads back ends and pools each time, shares that may have changed, and types again if one is unknown. */
  async #readManila(
    here: BerthState,
    isFull: boolean,
    wanted: Map<PullKind, readonly PullLine[]>,
  ): Promise<readonly string[]> {
    const manila = await this.#cloud.serviceIfAny('share', MANILA_MINORS)
    if (manila === null) return []
    const backends = await readBackends(manila)
    const found = isFull ? await this.#shares.readAll(manila) : await this.#shares.readSome(manila)
    const known = new Set(this.#types?.map(({ row }) => row.uuid))
    const isStrange = [...found.shares.values()].some(
      ({ share_type: type }) => type !== null && !known.has(type),
    )
    if (isFull || isStrange || this.#types === null)
      this.#types = await readShareTypes(manila, hasOwnDefault(here))
    const { lines, notes } = makeShareLines({ ...backends, ...found }, here.rows)
    wanted.set('share types', this.#types)
    wanted.set('shares', lines)
    return notes
  }

  /** How servers and the ledger differ, in numbers. */
  *#describeServers(here: BerthState): Generator<string> {
    let [unheld, elsewhere] = [0, 0]
    for (const [uuid, { hypervisor }] of this.#servers) {
      const roots = here.consumers.get(uuid)
      if (hypervisor === null) continue
      const provider = here.providers.get(hypervisor)
      if (roots === undefined) unheld++
      else if (provider !== undefined && !roots.has(provider.uuid)) elsewhere++
    }
    if (unheld > 0) yield `${unheld} servers are on a host and hold nothing in the ledger`
    if (elsewhere > 0) yield `${elsewhere} servers are on another host than their allocations`
  }
}

function describeUnknown(unknown: readonly string[]): string | null {
  if (unknown.length === 0) return null
  const shown = unknown.slice(0, NAMED_MAX).join(', ')
  const more = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : ''
  return `computes without a provider in the ledger, left out: ${shown}${more}; berth import placement brings them`
}

const hasOwnDefault = ({ rows }: BerthState): boolean =>
  [...rows.values()].some(
    ({ table, row }) => table === 'share_types' && row.is_default === 1 && row.applied_by === null,
  )
