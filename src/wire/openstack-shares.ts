/** Answers of the share API that the command line and the console read. */

export interface Share {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly size: number
  readonly status: string
  readonly task_state: string | null
  readonly share_proto: string
  readonly share_type: string
  readonly share_type_name: string
  readonly availability_zone: string | null
  readonly project_id: string
  readonly user_id: string
  readonly snapshot_id: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly is_public: boolean
  readonly snapshot_support: boolean
  readonly create_share_from_snapshot_support: boolean
  readonly is_soft_deleted: boolean
  readonly scheduled_to_be_deleted_at: string | null
  readonly created_at: string
  /** `host@backend#pool`, empty for nowhere; only for admins. */
  readonly host?: string
}

export interface NewShare {
  readonly name: string | null
  readonly description: string | null
  readonly size: number
  readonly share_proto: string
  readonly share_type: string
  readonly availability_zone?: string
  readonly snapshot_id?: string
  readonly is_public?: boolean
  readonly scheduler_hints: {
    readonly same_host: readonly string[]
    readonly different_host: readonly string[]
  }
}

export interface ShareExportLocation {
  readonly id: string
  readonly path: string
}

export interface ShareAccessRule {
  readonly id: string
  readonly access_type: string
  readonly access_to: string
  readonly access_level: string
  readonly state: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface ShareMessage {
  readonly id: string
  readonly action_id: string
  readonly message_level: string
  readonly user_message: string
  readonly resource_id: string
  readonly created_at: string
}

export interface ShareSnapshot {
  readonly id: string
  readonly name: string | null
  readonly share_id: string
  readonly status: string
  readonly size: number
  readonly created_at: string
}

export interface ShareType {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly is_default: boolean
  readonly 'share_type_access:is_public': boolean
  readonly extra_specs: Readonly<Record<string, string>>
}

export interface SharePool {
  readonly name: string
  readonly capabilities: Readonly<Record<string, unknown>>
}

export type ShareLimits = Readonly<Record<string, number>>
