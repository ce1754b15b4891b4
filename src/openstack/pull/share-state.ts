import { emptyRecord } from '../../kernel/records.ts'
import type { ProviderFields } from '../../placement/transfer/lines.ts'
import type { PullLine } from './pull-line.ts'

type Fields = PullLine['row']

const SHARE_CLASS = 'CUSTOM_SHARE_GB'

interface ProviderFacts {
  readonly name: string
  readonly space: ProviderFields['inventories'][string] | null
}

/** Share back ends, pools and shares of an export, in the form in which they are pulled. */
export class ShareRows {
  readonly #providers = new Map<string, ProviderFacts>()
  readonly #backends: Fields[] = []
  readonly #pools: Fields[] = []
  readonly #shares = new Map<string, Fields>()
  readonly #metadata = new Map<string, Record<string, string>>()
  readonly #hints = new Map<string, Fields[]>()

  noteProvider({ uuid, name, inventories, parent_provider_uuid }: ProviderFields): void {
    const space = inventories[SHARE_CLASS] ?? null
    if (space !== null || parent_provider_uuid === null) this.#providers.set(uuid, { name, space })
  }

  /** Whether the line is one of those. */
  take({ table, row }: PullLine): boolean {
    switch (table) {
      case 'share_backends':
        this.#backends.push(row)
        return true
      case 'share_pools':
        this.#pools.push(row)
        return true
      case 'shares':
        this.#shares.set(String(row.uuid), row)
        return true
      case 'share_metadata':
        this.#noteMetadata(String(row.share), String(row.key), String(row.value))
        return true
      case 'share_hints':
        this.#hints.set(String(row.share), [...(this.#hints.get(String(row.share)) ?? []), row])
        return true
      default:
        return false
    }
  }

  #noteMetadata(share: string, key: string, value: string): void {
    const known = this.#metadata.get(share) ?? emptyRecord<string>()
    known[key] = value
    this.#metadata.set(share, known)
  }

  *lines(): Generator<PullLine> {
    for (const { backend, availability_zone, is_disabled, disabled_reason, capabilities, applied_by } of this
      .#backends)
      yield {
        table: 'share_backends',
        row: {
          backend: this.#nameOf(backend),
          availability_zone: availability_zone ?? '',
          is_disabled: is_disabled ?? 0,
          disabled_reason: disabled_reason ?? null,
          capabilities: capabilities ?? '{}',
          applied_by: applied_by ?? null,
        },
      }
    for (const row of this.#pools) yield { table: 'share_pools', row: this.#makePool(row) }
    for (const row of this.#shares.values()) yield { table: 'shares', row: this.#makeShare(row) }
  }

  #nameOf(provider: Fields[string] | undefined): string {
    return this.#providers.get(String(provider))?.name ?? String(provider)
  }

  #makePool({ pool, backend, reserved_percentage, capabilities }: Fields): Fields {
    const space = this.#providers.get(String(pool))?.space ?? null
    return {
      pool: this.#nameOf(pool),
      backend: this.#nameOf(backend),
      total_gb: space?.total ?? 1,
      reserved_gb: space?.reserved ?? 0,
      reserved_percentage: reserved_percentage ?? 0,
      over_subscription: space?.allocation_ratio ?? 1,
      capabilities: capabilities ?? '{}',
    }
  }

  #makeShare(row: Fields): Fields {
    const uuid = String(row.uuid)
    const metadata = Object.entries(this.#metadata.get(uuid) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
    const pool = (value: Fields[string] | undefined) => (value === null ? null : this.#nameOf(value))
    return {
      uuid,
      name: row.name ?? null,
      description: row.description ?? null,
      project_id: row.project_id ?? null,
      user_id: row.user_id ?? null,
      size: row.size ?? null,
      protocol: row.protocol ?? null,
      share_type: row.share_type ?? null,
      pool: pool(row.pool),
      target_pool: pool(row.target_pool),
      status: row.status ?? null,
      task_state: row.task_state ?? null,
      is_public: row.is_public ?? null,
      availability_zone: row.availability_zone ?? null,
      snapshot: row.snapshot ?? null,
      metadata: JSON.stringify(Object.fromEntries(metadata)),
      same_host: this.#listHints(uuid, 'same_host'),
      different_host: this.#listHints(uuid, 'different_host'),
      applied_by: row.applied_by ?? null,
      created_at: row.created_at ?? null,
    }
  }

  #listHints(share: string, kind: string): string {
    return (this.#hints.get(share) ?? [])
      .filter(row => row.kind === kind)
      .sort((a, b) => Number(a.place) - Number(b.place))
      .map(({ other }) => other)
      .join(',')
  }
}
