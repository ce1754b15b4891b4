import { askJson, queryOf } from './http.ts'

export interface Association {
  readonly name: string
  readonly prefix?: string | null
  readonly properties_target?: string | null
}

/** A JSON schema of one value, with the operators that may stand before it. */
export interface Property {
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly operators?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Property
}

export interface Definition {
  readonly namespace: string
  readonly display_name?: string
  readonly description?: string
  readonly visibility?: 'public' | 'private'
  readonly protected?: boolean
  readonly owner?: string
  readonly resource_type_associations?: readonly Association[]
  readonly properties?: Readonly<Record<string, Property>>
  readonly objects?: readonly {
    readonly name: string
    readonly description?: string
    /** The properties that cannot be left out. */
    readonly required?: readonly string[] | null
    readonly properties?: Readonly<Record<string, Property>>
  }[]
  readonly tags?: readonly { readonly name: string }[]
}

export const readDefinitions = async (): Promise<Definition[]> =>
  (await askJson<{ definitions: Definition[] }>('/v1/catalog/export')).definitions

export interface Difference {
  readonly part: 'attribute' | 'association' | 'property' | 'object' | 'tag'
  readonly name: string
  readonly action: 'added' | 'changed' | 'removed' | 'kept'
  readonly before?: unknown
  readonly after?: unknown
}

export interface ImportReport {
  readonly dry_run: boolean
  readonly namespaces: readonly {
    readonly namespace: string
    readonly outcome: 'created' | 'updated' | 'unchanged' | 'skipped'
    readonly differences: readonly Difference[]
  }[]
}

export type Merge = 'skip' | 'add' | 'prefer-new' | 'overwrite'

export const importDefinitions = (text: string, merge: Merge, dryRun: boolean): Promise<ImportReport> =>
  askJson(`/v1/catalog/import${queryOf({ merge, dry_run: dryRun })}`, { method: 'POST', body: text })

const namespaceAt = (namespace: string, part = ''): string =>
  `/image/v2/metadefs/namespaces/${encodeURIComponent(namespace)}${part}`

export const deleteNamespace = (namespace: string): Promise<unknown> =>
  askJson(namespaceAt(namespace), { method: 'DELETE' })

export const createNamespace = (namespace: Readonly<Record<string, unknown>>): Promise<unknown> =>
  askJson('/image/v2/metadefs/namespaces', { method: 'POST', body: namespace })

export const updateNamespace = (
  name: string,
  namespace: Readonly<Record<string, unknown>>,
): Promise<unknown> => askJson(namespaceAt(name), { method: 'PUT', body: namespace })

export const saveProperty = (
  namespace: string,
  known: string | null,
  property: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  known === null
    ? askJson(namespaceAt(namespace, '/properties'), { method: 'POST', body: property })
    : askJson(namespaceAt(namespace, `/properties/${encodeURIComponent(known)}`), {
        method: 'PUT',
        body: property,
      })

export const deleteProperty = (namespace: string, property: string): Promise<unknown> =>
  askJson(namespaceAt(namespace, `/properties/${encodeURIComponent(property)}`), { method: 'DELETE' })

export type ObjectDefinition = NonNullable<Definition['objects']>[number]

/** An object is written whole, with all its properties. */
export const saveObject = (
  namespace: string,
  known: string | null,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  known === null
    ? askJson(namespaceAt(namespace, '/objects'), { method: 'POST', body })
    : askJson(namespaceAt(namespace, `/objects/${encodeURIComponent(known)}`), { method: 'PUT', body })

export const deleteObject = (namespace: string, object: string): Promise<unknown> =>
  askJson(namespaceAt(namespace, `/objects/${encodeURIComponent(object)}`), { method: 'DELETE' })

export const addTag = (namespace: string, tag: string): Promise<unknown> =>
  askJson(namespaceAt(namespace, `/tags/${encodeURIComponent(tag)}`), { method: 'POST' })

export const deleteTag = (namespace: string, tag: string): Promise<unknown> =>
  askJson(namespaceAt(namespace, `/tags/${encodeURIComponent(tag)}`), { method: 'DELETE' })

export interface Finding {
  readonly code: string
  readonly text: string
  readonly namespace: string | null
  readonly suggestion: string | null
}

export interface CheckedKey {
  readonly key: string
  readonly value: string
  readonly ok: boolean
  readonly defined: readonly {
    readonly namespace: string
    readonly object: string | null
    readonly property: string
    readonly prefix: string
  }[]
  readonly reader: {
    readonly name: string
    readonly dialect: Dialect | null
    readonly operators: readonly string[]
    readonly sentinels: boolean
  } | null
  readonly operator: string | null
  readonly findings: readonly Finding[]
  readonly near: readonly string[]
}

export interface CheckReport {
  readonly ok: boolean
  readonly keys: readonly CheckedKey[]
  readonly missing: readonly string[]
}

export type ResourceType = 'OS::Nova::Flavor' | 'OS::Nova::Aggregate' | 'OS::Manila::ShareType'

export const checkSpecs = (
  type: ResourceType,
  specs: Readonly<Record<string, string>>,
): Promise<CheckReport> =>
  askJson('/v1/catalog/check', {
    method: 'POST',
    body: { resource_type: type, [type === 'OS::Nova::Aggregate' ? 'metadata' : 'specs']: specs },
  })

export interface DriftFinding extends Finding {
  readonly kind: 'flavor' | 'aggregate' | 'share-type'
  readonly name: string
  readonly key: string
  readonly value: string | null
}

export interface Drift {
  readonly checked: Readonly<Record<string, number>>
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly DriftFinding[]
  readonly truncated: boolean
}

export const readDrift = (): Promise<Drift> => askJson('/v1/catalog/drift')

export type Dialect = 'nova' | 'manila'

export interface Operator {
  readonly symbol: string
  readonly takes: 'one' | 'several'
  readonly compares: 'numbers' | 'texts' | 'parts' | 'yes-or-no'
  readonly meaning: string
}

export interface DialectFacts {
  readonly name: Dialect
  readonly ignores_case: boolean
  readonly operators: readonly Operator[]
  readonly sentinels: readonly { readonly symbol: string }[]
}

export const readDialects = async (): Promise<readonly DialectFacts[]> =>
  (await askJson<{ dialects: DialectFacts[] }>('/v1/operators')).dialects

export type Form =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'operator'; readonly operator: string; readonly operands: readonly string[] }

export interface Parsed {
  readonly form: Form
  readonly text: string
  readonly ignored: readonly string[]
  readonly repaired: boolean
  readonly warnings: readonly string[]
}

export const parseRequirements = async (
  dialect: Dialect,
  texts: readonly string[],
  repair: boolean,
): Promise<readonly Parsed[]> =>
  (
    await askJson<{ results: Parsed[] }>('/v1/operators/parse', {
      method: 'POST',
      body: { dialect, texts, repair },
    })
  ).results

export const formatRequirement = async (
  dialect: Dialect,
  form: Form,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> =>
  (
    await askJson<{ results: { text: string; warnings: string[] }[] }>('/v1/operators/format', {
      method: 'POST',
      body: { dialect, forms: [form] },
    })
  ).results[0] as { text: string; warnings: string[] }
