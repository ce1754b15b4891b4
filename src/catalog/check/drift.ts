import { assert } from '../../kernel/assert.ts'
import { checkSpecs, type FindingCode, type KeyReport } from './check-specs.ts'
import type { DefinitionSource } from './defined-keys.ts'
import { limitNearNames } from './near-names.ts'
import { AGGREGATE, FLAVOR, SHARE_TYPE, type Specs } from './readers.ts'

export const sourceKinds = ['flavor', 'aggregate', 'share-type'] as const
type SourceKind = (typeof sourceKinds)[number]

/** A resource with specs: a flavor, an aggregate with its metadata, a share type. */
export interface SpecSource {
  readonly kind: SourceKind
  readonly name: string
  readonly specs: Specs
}

const resourceTypes: Readonly<Record<SourceKind, string>> = {
  flavor: FLAVOR,
  aggregate: AGGREGATE,
  'share-type': SHARE_TYPE,
}

type DriftCode = FindingCode | 'key-missing'

interface Drift {
  readonly kind: SourceKind
  readonly name: string
  readonly key: string
  /** Null if the key is missing. */
  readonly value: string | null
  readonly code: DriftCode
  readonly text: string
  readonly namespace: string | null
  readonly suggestion: string | null
}

interface DriftReport {
  /** How many resources of each kind were checked. */
  readonly checked: Readonly<Record<SourceKind, number>>
  /** Findings per code, listed or not. */
  readonly counts: Readonly<Partial<Record<DriftCode, number>>>
  readonly findings: readonly Drift[]
  readonly truncated: boolean
}

const FINDINGS_MAX = 1_000
/** Different keys for which similar ones are searched. */
const NEAR_SEARCHES_MAX = 300
/** After this many, other requests get a turn. */
const SOURCES_PER_TURN = 50

/** Specs in use that do not agree with the definitions or with their readers. */
export async function findDrift(
  definitions: DefinitionSource,
  sources: readonly SpecSource[],
  nextTurn: () => Promise<unknown>,
): Promise<DriftReport> {
  const nearOf = {
    flavor: limitNearNames(NEAR_SEARCHES_MAX),
    aggregate: limitNearNames(NEAR_SEARCHES_MAX),
    'share-type': limitNearNames(NEAR_SEARCHES_MAX),
  }
  const definedNow = copyDefinitions(definitions)
  const checked = { flavor: 0, aggregate: 0, 'share-type': 0 }
  const tally = new Tally()
  let since = 0
  for (const source of sources) {
    const { kind, specs } = source
    const report = checkSpecs(definedNow, resourceTypes[kind], specs, { findNear: nearOf[kind] })
    checked[kind]++
    for (const one of report.keys) for (const drift of listDrifts(source, one)) tally.add(drift)
    for (const key of report.missing) tally.add(describeMissing(source, key))
    if (++since % SOURCES_PER_TURN === 0) await nextTurn()
  }
  return { checked, ...tally.toReport() }
}

/** In one turn, because the catalog may change between turns. */
function copyDefinitions(definitions: DefinitionSource): DefinitionSource {
  const byType = new Map(Object.values(resourceTypes).map(type => [type, definitions(type)]))
  return type => {
    const keys = byType.get(type)
    assert(keys !== undefined, () => `nothing was looked up for ${type}`)
    return keys
  }
}

class Tally {
  readonly #findings: Drift[] = []
  readonly #counts: Partial<Record<DriftCode, number>> = {}
  #all = 0

  add(drift: Drift): void {
    this.#counts[drift.code] = (this.#counts[drift.code] ?? 0) + 1
    if (this.#all++ < FINDINGS_MAX) this.#findings.push(drift)
  }

  toReport() {
    return { counts: this.#counts, findings: this.#findings, truncated: this.#all > FINDINGS_MAX }
  }
}

function listDrifts({ kind, name }: SpecSource, { key, value, findings }: KeyReport): Drift[] {
  return findings.map(finding => ({ kind, name, key, value, ...finding }))
}

function describeMissing({ kind, name }: SpecSource, key: string): Drift {
  const text = `Every ${kind === 'share-type' ? 'share type' : kind} must have ${key}.`
  return { kind, name, key, value: null, code: 'key-missing', text, namespace: null, suggestion: null }
}
