/** What a cloud has of share back ends, pools and shares: all by their names there, as Berth has no provider for them yet. */
export type PulledShareLine =
  | { readonly table: 'share_backends'; readonly row: PulledBackend }
  | { readonly table: 'share_pools'; readonly row: PulledPool }
  | { readonly table: 'shares'; readonly row: PulledShare }

export interface PulledBackend {
  /** `host@backend` */
  readonly backend: string
  readonly availability_zone: string
  readonly is_disabled: number
  readonly disabled_reason: string | null
  readonly capabilities: string
}

export interface PulledPool {
  /** `host@backend#pool` */
  readonly pool: string
  readonly backend: string
  readonly total_gb: number
  /** Also what something else than the shares takes. */
  readonly reserved_gb: number
  readonly reserved_percentage: number
  readonly over_subscription: number
  readonly capabilities: string
}

export interface PulledShare {
  readonly uuid: string
  readonly name: string | null
  readonly description: string | null
  readonly project_id: string
  readonly user_id: string
  readonly size: number
  readonly protocol: string
  readonly share_type: string
  readonly pool: string | null
  /** Where it is being moved. */
  readonly target_pool: string | null
  readonly status: string
  readonly task_state: string | null
  readonly is_public: number
  readonly availability_zone: string | null
  readonly snapshot: string | null
  /** An object of texts, without hints. */
  readonly metadata: string
  /** Uuids, joined by commas. */
  readonly same_host: string
  readonly different_host: string
  readonly created_at: number
}

const TABLES: ReadonlySet<string> = new Set<PulledShareLine['table']>([
  'share_backends',
  'share_pools',
  'shares',
])

export const isPulledShareTable = (table: string): table is PulledShareLine['table'] => TABLES.has(table)

export const isShareLine = <L extends { readonly table: string }>(
  line: L | PulledShareLine,
): line is PulledShareLine => isPulledShareTable(line.table)
