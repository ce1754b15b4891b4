import type { CatalogCheck, CatalogDrift } from '../../../src/wire/catalog-check.ts'
import type { CatalogImportReport, CatalogMerge } from '../../../src/wire/catalog-import.ts'
import type { MetadefNamespace } from '../../../src/wire/openstack-metadefs.ts'
import type {
  Dialect,
  DialectFacts,
  ParsedRequirement,
  RequirementForm,
} from '../../../src/wire/operators.ts'
import { askJson, queryOf } from './http.ts'

export const readDefinitions = async (): Promise<MetadefNamespace[]> =>
  (await askJson<{ definitions: MetadefNamespace[] }>('/v1/catalog/export')).definitions

export const importDefinitions = (
  text: string,
  merge: CatalogMerge,
  dryRun: boolean,
): Promise<CatalogImportReport> =>
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

export type ResourceType = 'OS::Nova::Flavor' | 'OS::Nova::Aggregate' | 'OS::Manila::ShareType'

export const checkSpecs = (
  type: ResourceType,
  specs: Readonly<Record<string, string>>,
): Promise<CatalogCheck> =>
  askJson('/v1/catalog/check', {
    method: 'POST',
    body: { resource_type: type, [type === 'OS::Nova::Aggregate' ? 'metadata' : 'specs']: specs },
  })

export const readDrift = (): Promise<CatalogDrift> => askJson('/v1/catalog/drift')

export const readDialects = async (): Promise<readonly DialectFacts[]> =>
  (await askJson<{ dialects: DialectFacts[] }>('/v1/operators')).dialects

export const parseRequirements = async (
  dialect: Dialect,
  texts: readonly string[],
  repair: boolean,
): Promise<readonly ParsedRequirement[]> =>
  (
    await askJson<{ results: ParsedRequirement[] }>('/v1/operators/parse', {
      method: 'POST',
      body: { dialect, texts, repair },
    })
  ).results

export const formatRequirement = async (
  dialect: Dialect,
  form: RequirementForm,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> =>
  (
    await askJson<{ results: { text: string; warnings: string[] }[] }>('/v1/operators/format', {
      method: 'POST',
      body: { dialect, forms: [form] },
    })
  ).results[0] as { text: string; warnings: string[] }
