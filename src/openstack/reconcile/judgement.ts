import type { ConsumerFields } from '../../placement/transfer/lines.ts'
import type { Finding, NotJudged, Subject } from './finding.ts'
import {
  isEnded,
  type NovaCompute,
  type NovaMigration,
  type NovaServer,
  type NovaState,
} from './nova-state.ts'
import { allocationWords, type Held, isComputeLike, type LedgerTrees } from './trees.ts'

export interface JudgeOptions {
  /** Treat consumers without a type, unknown to Nova, that hold processors or memory of a compute as Nova's servers. */
  readonly unknownAreServers: boolean
}

/** Both sides, and the findings so far. */
export class Judgement {
  readonly nova: NovaState
  readonly trees: LedgerTrees
  readonly options: JudgeOptions
  readonly findings: Finding[] = []
  readonly notJudged: NotJudged[] = []
  readonly migrationsByServer: ReadonlyMap<string, readonly NovaMigration[]>
  readonly #computeRoots: ReadonlySet<string>
  #hasServerTypes: boolean | null = null
  readonly #names: ReadonlyMap<string, string>
  readonly #computes: ReadonlyMap<string, readonly NovaCompute[]>

  constructor(nova: NovaState, trees: LedgerTrees, options: JudgeOptions) {
    this.nova = nova
    this.trees = trees
    this.options = options
    this.migrationsByServer = Map.groupBy(nova.migrations, ({ server }) => server)
    this.#computeRoots = new Set(nova.computes.map(({ id }) => trees.rootOf(id)))
    this.#names = new Map(nova.computes.map(({ id, name }) => [id, name]))
    this.#computes = Map.groupBy(nova.computes, ({ host }) => host)
  }

  /** Whether servers have a type in this ledger: Nova itself gives none. */
  get hasServerTypes(): boolean {
    this.#hasServerTypes ??= this.nova.servers
      .keys()
      .map(id => this.trees.ledger.consumers.get(id)?.consumer_type)
      .filter(type => type !== undefined)
      .every(type => type !== null)
    return this.#hasServerTypes
  }

  computesOf(host: string): readonly NovaCompute[] {
    return this.#computes.get(host) ?? []
  }

  /** The compute of a server; undefined where Nova lists none. */
  computeOf({ host, node }: NovaServer): NovaCompute | undefined {
    return this.computesOf(host ?? '').find(({ name }) => name === node)
  }

  migrationsOf(server: string): readonly NovaMigration[] {
    return this.migrationsByServer.get(server) ?? []
  }

  find(finding: Finding): void {
    this.findings.push(finding)
  }

  leave(subject: Subject, reason: string): void {
    this.notJudged.push({ subject, reason })
  }

  consumer(uuid: string): ConsumerFields | undefined {
    const found = this.trees.ledger.consumers.get(uuid)
    return found === undefined || Object.keys(found.allocations).length === 0 ? undefined : found
  }

  /** Whether the tree is, or was, that of a compute. */
  isComputeTree(root: string): boolean {
    if (this.#computeRoots.has(root)) return true
    const provider = this.trees.ledger.providers.get(root)
    return provider !== undefined && isComputeLike(provider)
  }

  /** The name of the compute in Nova, or that of the provider if there is none. */
  nameTree(root: string): string {
    return this.#names.get(root) ?? this.trees.ledger.providers.get(root)?.name ?? root
  }

  /** What a consumer holds in trees of computes. */
  heldOfComputes(consumer: ConsumerFields | undefined): readonly Held[] {
    return this.trees.heldBy(consumer).filter(({ root }) => this.isComputeTree(root))
  }

  /** Migrations of a server that ended, the newest first. */
  endedMigrationsOf(server: string): readonly NovaMigration[] {
    return this.migrationsOf(server).filter(isEnded).toReversed()
  }

  setCommand(consumer: ConsumerFields): string {
    const { uuid, project_id, user_id, consumer_type } = consumer
    const type = consumer_type === null ? '' : ` --type ${consumer_type}`
    return `berth allocation set ${uuid} ${allocationWords(this.trees, consumer)} --project ${project_id} --user ${user_id}${type}`
  }
}

export const serverSubject = ({ id, name }: NovaServer): Subject => ({ type: 'server', id, name })

/** `server web-1 on cn1 (ACTIVE, flavor m1.small)`. */
export function serverText({ name, node, status, flavor }: NovaServer): string {
  const where = node === null ? 'on no host' : `on ${node}`
  return `server ${name} is ${where} (${status}${flavor === null ? '' : `, flavor ${flavor.name}`})`
}

/** Without what it holds of some providers; null if nothing is left. */
export function withoutProviders(
  consumer: ConsumerFields,
  providers: ReadonlySet<string>,
): ConsumerFields | null {
  const kept = Object.entries(consumer.allocations).filter(([uuid]) => !providers.has(uuid))
  return kept.length === 0 ? null : { ...consumer, allocations: Object.fromEntries(kept) }
}
