import { jsonText } from '../../kernel/records.ts'
import { isContradictoryMetadata } from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-terms.ts'
import { isContradiction } from '../../scheduling/hosts/filters/aggregate-instance-type/flavor-wants.ts'
import { isAnyOf, readAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { readerOfFlavorKey } from '../../scheduling/hosts/query/key-readers.ts'
import { type Dialect, isSentinel, operatorNamed } from '../../scheduling/operators/dialects.ts'
import { type Form, parse, warningsOf } from '../../scheduling/operators/form.ts'
import { stripped, wordsOf } from '../../scheduling/operators/python-text.ts'
import type { DefinedKey, DefinitionSource } from './defined-keys.ts'
import { definitionsOf, keysBeside } from './key-families.ts'
import { nearNamesFor } from './near-names.ts'
import {
  AGGREGATE,
  FLAVOR,
  isForced,
  PLACEMENT_QUERY,
  type Reader,
  readerOf,
  requiredKeysOf,
  retiredHint,
  type Specs,
} from './readers.ts'
import { emptyGroup } from './request-groups.ts'
import { type Fault, type Manner, quoted, valueFaults } from './value-faults.ts'

export type FindingCode =
  | Fault['code']
  /** Nothing defines the key. */
  | 'key-undefined'
  /** The key had a meaning once. */
  | 'key-retired'
  /** The key makes a group that asks for no resources. */
  | 'key-group-empty'
  /** The property does not declare the operator. */
  | 'operator-undeclared'
  /** Whoever reads the key does not know the operator. */
  | 'operator-unread'
  /** A list with commas, as dashboards wrote it. */
  | 'operator-comma-form'
  /** The requirement is valid, and matches nothing; or part of it is not read. */
  | 'operator-pointless'

/** A finding. Findings are advice: the APIs store the specs as they are. */
interface Finding {
  readonly code: FindingCode
  readonly text: string
  /** Whose definition it is held against; null if no definition is needed to see it. */
  readonly namespace: string | null
  /** What was meant, most likely. */
  readonly suggestion: string | null
}

export interface KeyReport {
  readonly key: string
  readonly value: string
  readonly definitions: readonly DefinedKey[]
  /** Who reads it; null for a type of resource that nothing here knows. */
  readonly reader: Reader | null
  /** The operator it is written with, if its reader or any other would take it for one. */
  readonly operator: string | null
  /** None, if one definition finds nothing wrong. */
  readonly findings: readonly Finding[]
  /** Keys that are defined and look like this one, if nothing defines it. */
  readonly near: readonly string[]
}

interface SpecsReport {
  readonly keys: readonly KeyReport[]
  /** Keys that a resource of this type cannot be without. */
  readonly missing: readonly string[]
}

/** Finds keys near a misspelt one. Costs time, so there is an end to it. */
type FindNear = (key: string, known: Iterable<string>) => readonly string[]

const NEAR_SEARCHES_MAX = 100

/** What takes time, and how it is done. */
interface Means {
  readonly findNear?: FindNear
}

/** Holds specs against definitions and against what their readers understand. */
export function checkSpecs(
  source: DefinitionSource,
  resourceType: string,
  specs: Specs,
  { findNear = nearNamesFor(NEAR_SEARCHES_MAX) }: Means = {},
): SpecsReport {
  return {
    keys: Object.entries(specs).map(([key, value]) => {
      const found = definitionsOf(source, resourceType, key, value)
      const reader = readerOf(resourceType, key, specs)
      const near =
        found.length === 0
          ? findNear(key, keysBeside(source, resourceType, key)).filter(
              one => !breaks(readerOf(resourceType, one, specs), value),
            )
          : []
      return {
        key,
        value,
        definitions: found,
        reader,
        near,
        operator: operatorIn(value, reader),
        findings: [
          ...(found.length === 0
            ? [undefinedKey(resourceType, key, near), ...asFindings(readerFaults(value, reader))]
            : isAnyTrait(key, value, reader)
              ? asFindings(anyTraitFaults(source, resourceType, value))
              : leastFaulty(found, value, reader)),
          ...asFindings(contradictions(resourceType, key, value, specs)),
          ...(resourceType === FLAVOR ? groupFindings(specs, key) : []),
        ],
      }
    }),
    missing: requiredKeysOf(resourceType).filter(key => !Object.hasOwn(specs, key)),
  }
}

function undefinedKey(resourceType: string, key: string, near: readonly string[]): Finding {
  const hint = retiredHint(resourceType, key)
  if (hint !== null) return { code: 'key-retired', text: hint, namespace: null, suggestion: null }
  const [suggestion = null] = near
  const text = `Nothing defines ${quoted(key)}${suggestion === null ? '' : `; ${suggestion} is defined`}.`
  return { code: 'key-undefined', text, namespace: null, suggestion }
}

function groupFindings(specs: Specs, key: string): Finding[] {
  const empty = emptyGroup(specs, key)
  if (empty === null) return []
  const { meant: suggestion } = empty
  const text = `${quoted(key)} makes a group of its own that asks for no resources: no host passes.`
  return [{ code: 'key-group-empty', text, namespace: null, suggestion }]
}

/** Findings that take no definition to see. */
const asFindings = (found: readonly Noticed[]): Finding[] => found.map(one => ({ ...one, namespace: null }))

/** Whether a reader of the key cannot interpret the value, so that it must not be suggested. */
const breaks = (reader: Reader | null, value: string): boolean =>
  readerFaults(value, reader).length > 0 || (reader !== null && isUnread(value, reader))

function isUnread(value: string, reader: Reader): boolean {
  const operator = operatorIn(value, reader)
  return operator !== null && !reader.operators.includes(operator)
}

/** Findings about a value whose key has no definition. */
function readerFaults(value: string, reader: Reader | null): Noticed[] {
  const comma = commaForm(value, reader)
  if (comma !== null) return [comma]
  if (reader?.dialect == null) return []
  const { form, ignored } = parse(value, reader.dialect)
  return form.kind === 'operator' && reader.operators.includes(form.operator)
    ? pointless(form, reader.dialect, ignored)
    : []
}

/** What dashboards wrote for a choice of several: `OPERATOR a,b`. Where commas separate, that is all that was meant. */
function commaForm(value: string, reader: Reader | null): Noticed | null {
  if (reader === null || (reader.dialect === null && !reader.splitsAtCommas)) return null
  const { form, repaired, text } = parse(value, reader.dialect ?? 'nova', { repair: true })
  if (!repaired) return null
  // What is meant must be something that the reader reads.
  if (!reader.splitsAtCommas && form.kind === 'operator' && !reader.operators.includes(form.operator))
    return null
  if (!reader.splitsAtCommas)
    return noticed(
      'operator-comma-form',
      `A comma separates nothing here: ${quoted(value)} is taken for one value.`,
      text,
    )
  // Each part of a list is read by itself, so that nothing is wrong with `<or> a,b` where <or> is read at all.
  const [first] = wordsOf(value)
  if (first !== undefined && reader.operators.includes(first)) return null
  return noticed(
    'operator-comma-form',
    `${quoted(first ?? '')} is read as a part of the first value here: commas alone separate values.`,
    form.kind === 'literal' ? form.text : form.operands.join(','),
  )
}

const isAnyTrait = (key: string, value: string, reader: Reader | null): boolean =>
  reader === PLACEMENT_QUERY && /^trait[a-zA-Z0-9_-]{0,64}:/.test(key) && isAnyOf(value)

/** `in:A,B`: each a trait that there is, or a custom one. */
function anyTraitFaults(source: DefinitionSource, resourceType: string, value: string): Noticed[] {
  const read = readAnyOf(value)
  if (!read.ok)
    return [noticed('value-pattern', `${quoted(value)} ${read.fault}: no server is placed with it.`)]
  const known = source(resourceType)
  return read.traits
    .filter(trait => !trait.startsWith('CUSTOM_') && !known.has(`trait:${trait}`))
    .map(trait => noticed('value-enum', `${trait} is no trait; those of your own begin with CUSTOM_`))
}

/** Sentinels that exclude each other, where the aggregate instance type filter reads them or would if it were forced to. */
function contradictions(resourceType: string, key: string, value: string, specs: Specs): Noticed[] {
  if (resourceType === FLAVOR)
    return readerOfFlavorKey(key) === null && isContradiction(value)
      ? [noticed('operator-pointless', '! excludes * and ~: it matches nothing.')]
      : []
  if (resourceType !== AGGREGATE || !isContradictoryMetadata(key, value)) return []
  const text = isForced(specs)
    ? '! excludes * and ~: no flavor fits.'
    : 'This is plain text now; with force_metadata_check no flavor fits, because ! excludes * and ~.'
  return [noticed('operator-pointless', text)]
}

/** Where several namespaces define a key, the value need please one of them. */
function leastFaulty(definitions: readonly DefinedKey[], value: string, reader: Reader | null): Finding[] {
  const judged = definitions.map(definition => judge(definition, value, reader))
  return judged.some(findings => findings.length === 0) ? [] : judged.flat()
}

type Noticed = Omit<Finding, 'namespace'>

const noticed = (code: FindingCode, text: string, suggestion: string | null = null): Noticed => ({
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
      ? plainFaults(definition, value, reader, manner)
      : requirementFaults(definition, value, reader, reader.dialect, manner)
  return found.map(one => ({ ...one, namespace: definition.namespace }))
}

function plainFaults(
  { schema }: DefinedKey,
  value: string,
  reader: Reader | null,
  manner: Manner,
): Noticed[] {
  const comma = commaForm(value, reader)
  if (comma !== null) return [comma]
  const values = reader?.splitsAtCommas === true ? value.split(',').map(stripped) : [value]
  const faults = values.flatMap(one => valueFaults(schema, one, manner))
  const operator = operatorIn(value, reader)
  if (faults.length > 0 && operator !== null) return [unread(operator, reader)]
  return faults.map(({ code, text }) => noticed(code, text))
}

function requirementFaults(
  definition: DefinedKey,
  value: string,
  reader: Reader,
  dialect: Dialect,
  whole: Manner,
): Noticed[] {
  const comma = commaForm(value, reader)
  if (comma !== null) return [comma]
  if (reader.splitsAtCommas && value.includes(','))
    return value
      .split(',')
      .flatMap(piece => requirementFaults(definition, stripped(piece), reader, dialect, whole))
  const { form, ignored } = parse(value, dialect)
  if (form.kind === 'literal') return literalFaults(definition, value, reader, whole)
  const { operator, operands } = form
  if (!reader.operators.includes(operator)) return [unread(operator, reader)]
  const manner: Manner = {
    ...whole,
    isPart: operator === '<in>' || operator === '<all-in>',
    isBound: /^s[<>]/.test(operator),
  }
  const signs = reader.hasSigns && operator === '<or>' ? operands.filter(isSentinel) : []
  const meant = operands.filter(operand => !signs.includes(operand))
  return [
    ...declarationFaults(definition, operator),
    ...signs.flatMap(sign => signFaults(definition, sign)),
    ...pointless(form, dialect, ignored),
    ...meant.flatMap(operand => valueFaults(definition.schema, operand, manner)).map(asNoticed),
  ]
}

const asNoticed = ({ code, text }: Fault): Noticed => noticed(code, text)

function literalFaults(definition: DefinedKey, value: string, reader: Reader, manner: Manner): Noticed[] {
  const { schema } = definition
  if (reader.hasSigns && isSentinel(stripped(value))) return signFaults(definition, stripped(value))
  const operator = operatorIn(value, reader)
  if (operator !== null) return [unread(operator, reader)]
  return valueFaults(schema, value, manner).map(asNoticed)
}

/** A property that names sentinels among its operators takes no others; one that names none takes all. */
function signFaults({ schema, property }: DefinedKey, sign: string): Noticed[] {
  const declared = Array.isArray(schema.operators) ? schema.operators.filter(isSentinel) : []
  return declared.length === 0 || declared.includes(sign)
    ? []
    : [
        noticed(
          'operator-undeclared',
          `${property} declares only ${declared.map(jsonText).join(' ')}, not ${sign}.`,
        ),
      ]
}

function declarationFaults({ schema, property }: DefinedKey, operator: string): Noticed[] {
  const declared = Array.isArray(schema.operators) ? schema.operators : []
  if (declared.includes(operator)) return []
  const those = declared.length === 0 ? 'no operators' : `only ${declared.map(jsonText).join(' ')}`
  return [noticed('operator-undeclared', `${property} declares ${those}, not ${operator}.`)]
}

function pointless(form: Form, dialect: Dialect, ignored: readonly string[]): Noticed[] {
  return [
    ...warningsOf(form, dialect).map(text => noticed('operator-pointless', `${text}.`)),
    ...(ignored.length === 0
      ? []
      : [noticed('operator-pointless', `Nobody reads ${quoted(ignored.join(' '))} after the operand.`)]),
  ]
}

function unread(operator: string, reader: Reader | null): Noticed {
  const by = reader === null ? 'its reader' : reader.name
  const known = reader?.operators ?? []
  const understood = known.length === 0 ? 'it takes plain values' : `it knows ${known.join(' ')}`
  return noticed('operator-unread', `${operator} is no operator for ${by}: ${understood}.`)
}

/** Signs that people take for operators, whether or not anybody reads them as such. */
const LIKE_AN_OPERATOR = /^(<[a-z-]+>|s?[<>!=]=?)$/i

/** The operator that a value begins with, or seems to. */
function operatorIn(value: string, reader: Reader | null): string | null {
  const [first, second] = wordsOf(value)
  if (first === undefined) return null
  const symbol = first.toLowerCase()
  if (
    reader?.dialect != null &&
    operatorNamed(reader.dialect, reader.ignoresCase ? symbol : first) !== undefined
  )
    return symbol
  return second !== undefined && LIKE_AN_OPERATOR.test(first) ? first : null
}
