/** What Placement and /v1 answer, as far as the command line reads it. */

export interface Provider {
  readonly uuid: string
  readonly name: string
  readonly generation: number
  readonly parent_provider_uuid: string | null
  readonly root_provider_uuid: string
}

export interface Inventory {
  readonly total: number
  readonly reserved: number
  readonly min_unit: number
  readonly max_unit: number
  readonly step_size: number
  readonly allocation_ratio: number
}

export type ByClass<T> = Readonly<Record<string, T>>

/** A provider with all that is on it: one line of GET /v1/fleet. */
export interface FleetProvider extends Provider {
  readonly inventories: ByClass<Inventory>
  readonly usages: ByClass<number>
  readonly traits: readonly string[]
  readonly aggregates: readonly string[]
}

export interface Inventories {
  readonly resource_provider_generation: number
  readonly inventories: ByClass<Inventory>
}

export interface ConsumerAllocations {
  /** By the uuid of the provider. */
  readonly allocations: Readonly<Record<string, { readonly resources: ByClass<number> }>>
  readonly project_id?: string
  readonly user_id?: string
  readonly consumer_generation?: number | null
  readonly consumer_type?: string
}

export interface AllocationsToSet {
  readonly allocations: Readonly<Record<string, { readonly resources: ByClass<number> }>>
  readonly project_id: string
  readonly user_id: string
  readonly consumer_generation: number | null
  readonly consumer_type?: string
}

export interface CandidatesAnswer {
  readonly allocation_requests: readonly {
    readonly allocations: Readonly<Record<string, { readonly resources: ByClass<number> }>>
    /** By the suffix of the group, the providers that serve it. */
    readonly mappings?: Readonly<Record<string, readonly string[]>>
  }[]
  readonly provider_summaries: Readonly<
    Record<
      string,
      {
        readonly resources: ByClass<{ readonly capacity: number; readonly used: number }>
        readonly root_provider_uuid?: string
      }
    >
  >
}

export interface Named {
  readonly uuid: string
  readonly name: string
}

/** The answer of GET /v1/explain/allocation_candidates. */
export interface Explanation {
  readonly revision: number
  readonly candidates: number
  /** There are this many or more. */
  readonly capped: boolean
  readonly funnel: readonly {
    /** The suffix of its group, empty for the one without; null where it is about all groups. */
    readonly group: string | null
    readonly constraint: Readonly<Record<string, unknown>>
    readonly text: string
    readonly providers_before: number
    readonly providers_after: number
    readonly trees_before: number
    readonly trees_after: number
    readonly verdict: 'blocks' | 'narrows' | 'innocent'
  }[]
  /** For those who may see hosts. */
  readonly nearest?: readonly {
    readonly root?: Named
    readonly misses: readonly { readonly provider?: Named; readonly text: string }[]
  }[]
  readonly changes: readonly { readonly text: string }[]
}

export type ChangedRow = Readonly<Record<string, unknown>>

/** The data of one event of GET /v1/changes. */
export interface RecordedChange {
  readonly revision: number
  readonly at: string
  readonly ops: readonly {
    readonly table: string
    readonly before: ChangedRow | null
    readonly after: ChangedRow | null
  }[]
}

export interface ImportCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

/** The answer of POST /v1/import. */
export interface ImportReport {
  readonly resource_classes: ImportCounts
  readonly traits: ImportCounts
  readonly providers: ImportCounts
  readonly consumers: ImportCounts
  /** By table, of those that had lines. */
  readonly rows: Readonly<Record<string, ImportCounts>>
  readonly lines: number
  /** What is left to be done by hand. */
  readonly notes: readonly string[]
}

/** The last line of GET /v1/export. */
export interface ExportEnd {
  readonly resource_classes: number
  readonly traits: number
  readonly providers: number
  readonly consumers: number
  /** By table. An older server has nothing but the four above. */
  readonly rows?: Readonly<Record<string, number>>
  /** Tables that the caller may not read. */
  readonly left_out?: readonly string[]
  /** How many there are of what is no part of an export. */
  readonly not_exported?: Readonly<Record<string, number>>
  readonly shares_under_way?: readonly string[]
}

/** One thing that a definition and a namespace do not agree on, and what came of it. */
export interface CatalogDifference {
  readonly part: 'attribute' | 'association' | 'property' | 'object' | 'tag'
  readonly name: string
  readonly action: 'added' | 'changed' | 'removed' | 'kept'
  readonly before?: unknown
  readonly after?: unknown
}

/** The answer of POST /v1/catalog/import. */
export interface CatalogImportReport {
  readonly dry_run: boolean
  readonly namespaces: readonly {
    readonly namespace: string
    readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped'
    readonly differences: readonly CatalogDifference[]
  }[]
}

/** What there is to say about a key, for whatever has it. */
export interface CatalogFinding {
  readonly code: string
  readonly text: string
  readonly namespace: string | null
  readonly suggestion: string | null
}

/** The answer of POST /v1/catalog/check. */
export interface CatalogCheck {
  readonly resource_type: string
  readonly ok: boolean
  readonly keys: readonly {
    readonly key: string
    readonly value: string
    readonly ok: boolean
    readonly defined: readonly { readonly namespace: string; readonly property: string }[]
    readonly reader: { readonly name: string } | null
    readonly findings: readonly CatalogFinding[]
    readonly near: readonly string[]
  }[]
  readonly missing: readonly string[]
}

/** What POST /v1/catalog/drift takes. */
export interface SpecsInUse {
  readonly flavors: readonly {
    readonly name: string
    readonly extra_specs: Readonly<Record<string, string>>
  }[]
  readonly aggregates: readonly {
    readonly name: string
    readonly metadata: Readonly<Record<string, string>>
  }[]
  readonly share_types: readonly {
    readonly name: string
    readonly extra_specs: Readonly<Record<string, string>>
  }[]
}

/** The answer of GET and POST /v1/catalog/drift. */
export interface CatalogDrift {
  readonly checked: Readonly<Record<'flavor' | 'aggregate' | 'share-type', number>>
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly (CatalogFinding & {
    readonly kind: string
    readonly name: string
    readonly key: string
    readonly value: string | null
  })[]
  readonly truncated: boolean
}

export interface HostFigure {
  readonly total: number
  readonly reserved: number
  readonly used: number
  readonly capacity: number
  readonly over: number
}

/** A host as /v1/hosts tells it. */
export interface Host {
  readonly name: string
  readonly uuid: string
  readonly zone: string
  readonly status: string
  readonly disabled_reason: string | null
  readonly state: string
  readonly declared: boolean
  readonly applied_by: string | null
  readonly aggregates: readonly string[]
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly cpu: HostFigure
  readonly memory_mb: HostFigure
  readonly disk_gb: HostFigure
  readonly consumers: number
}

/** What came, or would come, of declarations. */
export interface ApplyReport {
  readonly dry_run: boolean
  readonly plan: readonly PlannedChange[]
  readonly warnings: readonly string[]
}

export interface PlannedChange {
  readonly kind: string
  readonly name: string
  readonly action: string
  readonly owned: boolean
  readonly differences: readonly {
    readonly field: string
    readonly before?: unknown
    readonly after?: unknown
  }[]
}

/** A token of a machine, without the token itself. */
export interface StaticToken {
  readonly id: string
  readonly name: string
  readonly project: string | null
  readonly roles: readonly string[]
  readonly created_by: string
  readonly created_at: string
  readonly expires_at: string | null
}

export interface AuditEntry {
  readonly at: string
  readonly request_id: string
  readonly user: string
  readonly project: string | null
  readonly service: string
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly command: string
  readonly revision: number
  readonly rows: number
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** Where to read on; null at the end. */
  readonly next: string | null
}
