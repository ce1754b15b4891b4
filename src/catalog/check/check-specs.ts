import { type Dialect, operatorNamed } from '../../scheduling/operators/dialects.ts'
import { type Form, parse, warningsOf } from '../../scheduling/operators/form.ts'
import { stripped, wordsOf } from '../../scheduling/operators/python-text.ts'
import type { DefinedKey, DefinitionSource } from './defined-keys.ts'
import { definitionsOf, keysBeside } from './key-families.ts'
import { nearNamesFor } from './near-names.ts'
import { FLAVOR, type Reader, readerOf, requiredKeysOf, retiredHint, type Specs } from './readers.ts'
import { keyOfEmptyGroup } from './request-groups.ts'
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

/** Something to look at. Advice: whoever stores the specs takes them as they are. */
export interface Finding {
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

export interface SpecsReport {
  readonly keys: readonly KeyReport[]
  /** Keys that a resource of this type cannot be without. */
  readonly missing: readonly string[]
}

/** Finds keys near a misspelt one. Costs time, so there is an end to it. */
export type FindNear = (key: string, known: Iterable<string>) => readonly string[]

const NEAR_SEARCHES_MAX = 100

/** What takes time, and how it is done. */
export interface Means {
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
      const found = definitionsOf(source, resourceType, key)
      const reader = readerOf(resourceType, key, specs)
      const near = found.length === 0 ? findNear(key, keysBeside(source, resourceType, key)) : []
      const findings =
        found.length === 0 ? [undefinedKey(resourceType, key, near)] : leastFaulty(found, value, reader)
      return {
        ...{ key, value, definitions: found, reader, near },
        operator: operatorIn(value, reader),
        findings: [...findings, ...(resourceType === FLAVOR ? groupFindings(specs, key) : [])],
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
  const suggestion = keyOfEmptyGroup(specs, key)
  if (suggestion === null) return []
  const text = `${quoted(key)} makes a group of its own that asks for no resources: no host passes.`
  return [{ code: 'key-group-empty', text, namespace: null, suggestion }]
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
    ...{ isPart: false, isBound: false },
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
  const { form, ignored } = parse(value, dialect)
  const mended = parse(value, dialect, { repair: true })
  if (mended.repaired)
    return [
      noticed(
        'operator-comma-form',
        `A comma separates nothing here: ${quoted(value)} is taken for one value.`,
        mended.text,
      ),
    ]
  if (form.kind === 'literal') return literalFaults(definition, value, reader, whole)
  const { operator, operands } = form
  if (!reader.operators.includes(operator)) return [unread(operator, reader)]
  const manner: Manner = {
    ...whole,
    isPart: operator === '<in>' || operator === '<all-in>',
    isBound: /^s[<>]/.test(operator),
  }
  const meant = operands.filter(operand => !(reader.hasSigns && operator === '<or>' && isSign(operand)))
  return [
    ...declarationFaults(definition, operator),
    ...pointless(form, dialect, ignored),
    ...meant.flatMap(operand => valueFaults(definition.schema, operand, manner)).map(asNoticed),
  ]
}

const asNoticed = ({ code, text }: Fault): Noticed => noticed(code, text)

function literalFaults({ schema }: DefinedKey, value: string, reader: Reader, manner: Manner): Noticed[] {
  if (reader.hasSigns && isSign(stripped(value))) return []
  const operator = operatorIn(value, reader)
  if (operator !== null) return [unread(operator, reader)]
  const values = reader.splitsAtCommas ? value.split(',').map(stripped) : [value]
  return values.flatMap(one => valueFaults(schema, one, manner)).map(asNoticed)
}

const isSign = (text: string): boolean => text === '*' || text === '~' || text === '!'

function declarationFaults({ schema, property }: DefinedKey, operator: string): Noticed[] {
  const declared = Array.isArray(schema.operators) ? schema.operators : []
  if (declared.includes(operator)) return []
  const those = declared.length === 0 ? 'no operators' : `only ${declared.join(' ')}`
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
