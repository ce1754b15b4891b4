/** The part of Manila's state that a pull reads. */

export interface ManilaType {
  readonly id: string
  readonly name: string
  readonly description?: string | null
  readonly 'share_type_access:is_public': boolean
  readonly is_default?: boolean
  readonly extra_specs: Readonly<Record<string, string>>
}

export interface ManilaService {
  /** `host@backend` */
  readonly host: string
  readonly zone: string
  readonly status: 'enabled' | 'disabled'
  readonly state: 'up' | 'down'
  /** Since 2.83. */
  readonly disabled_reason?: string | null
}

export interface ManilaPool {
  /** `host@backend#pool` */
  readonly name: string
  /** As the driver reports them; may be `unknown` or `infinite`. */
  readonly capabilities: Readonly<Record<string, unknown>>
}

export interface ManilaShare {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly project_id: string
  readonly user_id?: string | null
  readonly size: number
  readonly share_proto: string
  /** The id of its type. */
  readonly share_type: string | null
  readonly host: string | null
  readonly status: string
  readonly task_state?: string | null
  readonly is_public: boolean
  readonly availability_zone: string | null
  readonly snapshot_id: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
  readonly has_replicas?: boolean
}

/** Shares, with the pools that some are being moved to. */
export interface ManilaShares {
  readonly shares: ReadonlyMap<string, ManilaShare>
  readonly targets: ReadonlyMap<string, string>
}
