import { jsonText } from '../../kernel/records.ts'
import { isContradictoryMetadata } from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-terms.ts'
import { isContradiction } from '../../scheduling/hosts/filters/aggregate-instance-type/flavor-wants.ts'
import { isAnyOf, readAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { readerOfFlavorKey } from '../../scheduling/hosts/query/key-readers.ts'
import { type Dialect, findOperatorBySymbol, isSentinel } from '../../scheduling/operators/dialects.ts'
import { type Form, findWarnings, parse } from '../../scheduling/operators/form.ts'
import { splitWords, strip } from '../../scheduling/operators/python-text.ts'
import type { DefinedKey, DefinitionSource } from './defined-keys.ts'
import { findDefinitions, listAlternatives } from './key-families.ts'
import { limitNearNames } from './near-names.ts'
import {
  AGGREGATE,
  FLAVOR,
  findReader,
  findRetiredHint,
  isForced,
  listRequiredKeys,
  PLACEMENT_QUERY,
  type Reader,
  type Specs,
} from './readers.ts'
import { findValueFaults, type Manner, quoteValue, type ValueFault } from './value-faults.ts'
export type FindingCode =
  | ValueFault['code']
  | 'key-undefined'
  /** The key is no longer used. */
  | 'key-retired'
  /** The key makes a request group without resources. */
  | 'key-group-empty'
  /** The property does not declare the operator. */
  | 'operator-undeclared'
  /** The reader of the key does not know the operator. */
  | 'operator-unread'
  /** A list with commas, as dashboards write it. */
  | 'operator-comma-form'
  /** The requirement is valid but matches nothing, or part of it is ignored. */
  | 'operator-pointless'

/** Findings are advice: the APIs store the specs as they are. */
interface Finding {
  readonly code: FindingCode
  readonly text: string
  /** The namespace whose definition is violated; null if none is involved. */
  readonly namespace: string | null
  /** The most likely intended key or value. */
  readonly suggestion: string | null
}

export interface KeyReport {
  readonly key: string
  readonly value: string
  readonly definitions: readonly DefinedKey[]
  /** Null for an unknown type of resource. */
  readonly reader: Reader | null
  /** The operator of the value, as any reader would see it. */
  readonly operator: string | null
  /** Empty if one of the definitions accepts the value. */
  readonly findings: readonly Finding[]
  /** Similar keys that are defined, if nothing defines this one. */
  readonly near: readonly string[]
}

interface SpecsReport {
  readonly keys: readonly KeyReport[]
  /** Required keys that are missing. */
  readonly missing: readonly string[]
}

/** Finds keys similar to a misspelt one. Takes time, so it is limited. */
type FindNear = (key: string, known: Iterable<string>) => readonly string[]

const NEAR_SEARCHES_MAX = 100

interface Means {
  readonly findNear?: FindNear
}

/** Checks specs against definitions and against what their readers accept. */
export function checkSpecs(
  source: DefinitionSource,
  resourceType: string,
  specs: Specs,
  { findNear = limitNearNames(NEAR_SEARCHES_MAX) }: Means = {},
): SpecsReport {
  return {
    keys: Object.entries(specs).map(([key, value]) => {
      const found = findDefinitions(source, resourceType, key, value)
      const reader = findReader(resourceType, key, specs)
      const near =
        found.length === 0
          ? findNear(key, listAlternatives(source, resourceType, key)).filter(
              one => !isRejected(findReader(resourceType, one, specs), value),
            )
          : []
      return {
        key,
        value,
        definitions: found,
        reader,
        near,
        operator: findOperator(value, reader),
        findings: [
          ...(found.length === 0
            ? [describeUndefinedKey(resourceType, key, near), ...asFindings(findReaderFaults(value, reader))]
            : isAnyTrait(key, value, reader)
              ? asFindings(findTraitFaults(source, resourceType, value))
              : findLeastFaults(found, value, reader)),
          ...asFindings(findContradictions(resourceType, key, value, specs)),
          ...(resourceType === FLAVOR ? groupFindings(specs, key) : []),
        ],
      }
    }),
    missing: listRequiredKeys(resourceType).filter(key => !Object.hasOwn(specs, key)),
  }
}

function describeUndefinedKey(resourceType: string, key: string, near: readonly string[]): Finding {
  const hint = findRetiredHint(resourceType, key)
  if (hint !== null) return { code: 'key-retired', text: hint, namespace: null, suggestion: null }
  const [suggestion = null] = near
  const text = `Nothing defines ${quoteValue(key)}${suggestion === null ? '' : `; ${suggestion} is defined`}.`
  return { code: 'key-undefined', text, namespace: null, suggestion }
}

function groupFindings(specs: Specs, key: string): Finding[] {
  const empty = findEmptyGroup(specs, key)
  if (empty === null) return []
  const { meant: suggestion } = empty
  const text = `${quoteValue(key)} makes a separate request group without resources: no host passes.`
  return [{ code: 'key-group-empty', text, namespace: null, suggestion }]
}

/** Findings that involve no definition. */
const asFindings = (found: readonly Noticed[]): Finding[] => found.map(one => ({ ...one, namespace: null }))

/** Whether the reader of the key rejects the value, so that it must not be suggested. */
const isRejected = (reader: Reader | null, value: string): boolean =>
  findReaderFaults(value, reader).length > 0 || (reader !== null && isUnread(value, reader))

function isUnread(value: string, reader: Reader): boolean {
  const operator = findOperator(value, reader)
  return operator !== null && !reader.operators.includes(operator)
}

/** Findings about a value whose key has no definition. */
function findReaderFaults(value: string, reader: Reader | null): Noticed[] {
  const comma = findCommaForm(value, reader)
  if (comma !== null) return [comma]
  if (reader?.dialect == null) return []
  const { form, ignored } = parse(value, reader.dialect)
  return form.kind === 'operator' && reader.operators.includes(form.operator)
    ? findPointless(form, reader.dialect, ignored)
    : []
}

/** Dashboards write `OPERATOR a,b` for a choice of several. Where commas separate values, that is allowed. */
function findCommaForm(value: string, reader: Reader | null): Noticed | null {
  if (reader === null || (reader.dialect === null && !reader.splitsAtCommas)) return null
  const { form, repaired, text } = parse(value, reader.dialect ?? 'nova', { repair: true })
  if (!repaired) return null
  // The suggestion must be accepted by the reader.
  if (!reader.splitsAtCommas && form.kind === 'operator' && !reader.operators.includes(form.operator))
    return null
  if (!reader.splitsAtCommas)
    return describeFault(
      'operator-comma-form',
      `Commas do not separate values here: ${quoteValue(value)} is read as one value.`,
      text,
    )
  // Each part of a list is read alone, so `<or> a,b` is fine where <or> is known.
  const [first] = splitWords(value)
  if (first !== undefined && reader.operators.includes(first)) return null
  return describeFault(
    'operator-comma-form',
    `${quoteValue(first ?? '')} is read as part of the first value: only commas separate values here.`,
    form.kind === 'literal' ? form.text : form.operands.join(','),
  )
}

const isAnyTrait = (key: string, value: string, reader: Reader | null): boolean =>
  reader === PLACEMENT_QUERY && /^trait[a-zA-Z0-9_-]{0,64}:/.test(key) && isAnyOf(value)

/** `in:A,B`: each must be a standard or a custom trait. */
function findTraitFaults(source: DefinitionSource, resourceType: string, value: string): Noticed[] {
  const read = readAnyOf(value)
  if (!read.ok)
    return [
      describeFault('value-pattern', `${quoteValue(value)} ${read.fault}: no server is placed with it.`),
    ]
  const known = source(resourceType)
  return read.traits
    .filter(trait => !trait.startsWith('CUSTOM_') && !known.has(`trait:${trait}`))
    .map(trait =>
      describeFault('value-enum', `${trait} is not a standard trait; custom traits begin with CUSTOM_.`),
    )
}

/** Sentinels that exclude each other, where the aggregate instance type filter reads them or could be forced to. */
function findContradictions(resourceType: string, key: string, value: string, specs: Specs): Noticed[] {
  if (resourceType === FLAVOR)
    return readerOfFlavorKey(key) === null && isContradiction(value)
      ? [describeFault('operator-pointless', '! excludes * and ~: it matches nothing.')]
      : []
  if (resourceType !== AGGREGATE || !isContradictoryMetadata(key, value)) return []
  const text = isForced(specs)
    ? '! excludes * and ~: no flavor fits.'
    : 'This is plain text now; with force_metadata_check no flavor fits, because ! excludes * and ~.'
  return [describeFault('operator-pointless', text)]
}

/** Where several namespaces define a key, the value needs to fit only one of them. */
function findLeastFaults(
  definitions: readonly DefinedKey[],
  value: string,
  reader: Reader | null,
): Finding[] {
  const judged = definitions.map(definition => judge(definition, value, reader))
  return judged.some(findings => findings.length === 0) ? [] : judged.flat()
}

type Noticed = Omit<Finding, 'namespace'>

const describeFault = (code: FindingCode, text: string, suggestion: string | null = null): Noticed => ({
  code,
  text,
  suggestion,
})

function judge(definition: DefinedKey, value: string, reader: Reader | null): Finding[] {
  const manner: Manner = {
    ignoresCase: reader?.ignoresCase ?? false,
    isPart: false,
    isBound: false,
  }
  const found =
    reader?.dialect == null
      ? findPlainFaults(definition, value, reader, manner)
      : findRequirementFaults(definition, value, reader, reader.dialect, manner)
  return found.map(one => ({ ...one, namespace: definition.namespace }))
}

function findPlainFaults(
  { schema }: DefinedKey,
  value: string,
  reader: Reader | null,
  manner: Manner,
): Noticed[] {
  const comma = findCommaForm(value, reader)
  if (comma !== null) return [comma]
  const values = reader?.splitsAtCommas === true ? value.split(',').map(strip) : [value]
  const faults = values.flatMap(one => findValueFaults(schema, one, manner))
  const operator = findOperator(value, reader)
  if (faults.length > 0 && operator !== null) return [describeUnread(operator, reader)]
  return faults.map(({ code, text }) => describeFault(code, text))
}

function findRequirementFaults(
  definition: DefinedKey,
  value: string,
  reader: Reader,
  dialect: Dialect,
  whole: Manner,
): Noticed[] {
  const comma = findCommaForm(value, reader)
  if (comma !== null) return [comma]
  if (reader.splitsAtCommas && value.includes(','))
    return value
      .split(',')
      .flatMap(piece => findRequirementFaults(definition, strip(piece), reader, dialect, whole))
  const { form, ignored } = parse(value, dialect)
  if (form.kind === 'literal') return findLiteralFaults(definition, value, reader, whole)
  const { operator, operands } = form
  if (!reader.operators.includes(operator)) return [describeUnread(operator, reader)]
  const manner: Manner = {
    ...whole,
    isPart: operator === '<in>' || operator === '<all-in>',
    isBound: /^s[<>]/.test(operator),
  }
  const signs = reader.hasSigns && operator === '<or>' ? operands.filter(isSentinel) : []
  const meant = operands.filter(operand => !signs.includes(operand))
  return [
    ...findDeclarationFaults(definition, operator),
    ...signs.flatMap(sign => signFaults(definition, sign)),
    ...findPointless(form, dialect, ignored),
    ...meant.flatMap(operand => findValueFaults(definition.schema, operand, manner)).map(asNoticed),
  ]
}

const asNoticed = ({ code, text }: ValueFault): Noticed => describeFault(code, text)

function findLiteralFaults(definition: DefinedKey, value: string, reader: Reader, manner: Manner): Noticed[] {
  const { schema } = definition
  if (reader.hasSigns && isSentinel(strip(value))) return signFaults(definition, strip(value))
  const operator = findOperator(value, reader)
  if (operator !== null) return [describeUnread(operator, reader)]
  return findValueFaults(schema, value, manner).map(asNoticed)
}

/** A property that lists sentinels among its operators allows no others; one that lists none allows all. */
function signFaults({ schema, property }: DefinedKey, sign: string): Noticed[] {
  const declared = Array.isArray(schema.operators) ? schema.operators.filter(isSentinel) : []
  return declared.length === 0 || declared.includes(sign)
    ? []
    : [
        describeFault(
          'operator-undeclared',
          `${property} declares only ${declared.map(jsonText).join(' ')}, not ${sign}.`,
        ),
      ]
}

function findDeclarationFaults({ schema, property }: DefinedKey, operator: string): Noticed[] {
  const declared = Array.isArray(schema.operators) ? schema.operators : []
  if (declared.includes(operator)) return []
  const those = declared.length === 0 ? 'no operators' : `only ${declared.map(jsonText).join(' ')}`
  return [describeFault('operator-undeclared', `${property} declares ${those}, not ${operator}.`)]
}

function findPointless(form: Form, dialect: Dialect, ignored: readonly string[]): Noticed[] {
  return [
    ...findWarnings(form, dialect).map(text => describeFault('operator-pointless', `${text}.`)),
    ...(ignored.length === 0
      ? []
      : [
          describeFault(
            'operator-pointless',
            `${quoteValue(ignored.join(' '))} after the operand is ignored.`,
          ),
        ]),
  ]
}

function describeUnread(operator: string, reader: Reader | null): Noticed {
  const by = reader === null ? 'its reader' : reader.name
  const known = reader?.operators ?? []
  const understood = known.length === 0 ? 'it takes plain values' : `it knows ${known.join(' ')}`
  return describeFault('operator-unread', `${operator} is not an operator of ${by}: ${understood}.`)
}

/** Signs that look like operators, whether or not any reader knows them. */
const LIKE_AN_OPERATOR = /^(<[a-z-]+>|s?[<>!=]=?)$/i

/** The operator that a value starts with, or seems to. */
function findOperator(value: string, reader: Reader | null): string | null {
  const [first, second] = splitWords(value)
  if (first === undefined) return null
  const symbol = first.toLowerCase()
  if (
    reader?.dialect != null &&
    findOperatorBySymbol(reader.dialect, reader.ignoresCase ? symbol : first) !== undefined
  )
    return symbol
  return second !== undefined && LIKE_AN_OPERATOR.test(first) ? first : null
}

const GROUPED = /^(resources|trait)([a-zA-Z0-9_-]{1,64}):(.*)$/s

/**
 * A suffix makes a separate group, and Placement refuses a group with traits and no resources. That is rarely intended:
 * `traits:X` is a trait of the group `s`. Null if the group has resources; else the intended key, if the specs lack it.
 */
function findEmptyGroup(specs: Specs, key: string): { readonly meant: string | null } | null {
  const [, kind, suffix, name] = GROUPED.exec(key) ?? []
  if (kind !== 'trait') return null
  const prefix = `resources${suffix}:`
  if (Object.keys(specs).some(other => other.startsWith(prefix))) return null
  const meant = `trait:${name}`
  return { meant: Object.hasOwn(specs, meant) ? null : meant }
}
