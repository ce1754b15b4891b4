import { ApiError } from '../http/api.ts'
import type { Query } from '../http/request/query.ts'
import { isUuidLike } from '../kernel/uuid.ts'
import type { Features } from './versions.ts'

/** The query parameters that providers and candidates share, with upstream's error texts. */

const INTEGER = /^\s*[+-]?\d+(?:_\d+)*\s*$/

/** `VCPU:2,MEMORY_MB:1024`. If a class is named twice, the last amount counts. */
export function parseResources(value: string): Map<string, number> {
  const form =
    'Badly formed resources parameter. Expected resources query string parameter in form: ' +
    '?resources=VCPU:2,MEMORY_MB:1024. Got: '
  if (value.trim() === '') throw new ApiError(400, `${form}empty string.`)
  const resources = new Map<string, number>()
  for (const item of value.split(',')) {
    const [name, text, ...more] = item.split(':')
    if (name === undefined || text === undefined || more.length > 0)
      throw new ApiError(400, `${form}${item}.`)
    if (!INTEGER.test(text))
      throw new ApiError(400, `Requested resource ${name} expected positive integer amount. Got: ${text}.`)
    const amount = Number(text.replaceAll('_', ''))
    if (amount < 1)
      throw new ApiError(400, `Requested resource ${name} requires amount >= 1. Got: ${amount}.`)
    resources.set(name, amount)
  }
  return resources
}

export interface TraitsAsked {
  /** The provider must have at least one trait of every list. */
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
}

/** All `required<suffix>` parameters together. In versions where they cannot be repeated, the last one counts. */
export function parseTraits(query: Query, suffix: string, features: Features): TraitsAsked {
  const values = query.all(`required${suffix}`)
  const counted = features.anyTraits ? values : values.slice(-1)
  const parsed = counted.map(value => parseTraitList(value, features.forbiddenTraits, features.anyTraits))
  return {
    required: parsed.flatMap(asked => asked.required),
    forbidden: [...new Set(parsed.flatMap(asked => asked.forbidden))],
  }
}

/** One value: `A,!B` or `in:A,B`. */
function parseTraitList(value: string, mayForbid: boolean, mayOfferAny: boolean): TraitsAsked {
  if (value.startsWith('in:')) {
    if (!mayOfferAny)
      throw new ApiError(400, `${ANY_FORMAT}only supported since microversion 1.39. Got: ${value}`)
    return parseAnyTraits(value)
  }
  const items = value.split(',').map(item => item.trim())
  const forbidden = items.filter(item => item.startsWith('!')).map(item => item.replace(/^!+/, ''))
  const invalid = "Invalid query string parameters: Expected 'required' parameter value of the form: "
  if ([...items, ...forbidden].includes('')) {
    const form = mayForbid ? 'HW_CPU_X86_VMX,!CUSTOM_MAGIC' : 'HW_CPU_X86_VMX,CUSTOM_MAGIC'
    throw new ApiError(400, `${invalid}${form}. Got an empty trait in: ${value}`)
  }
  if (forbidden.length > 0 && !mayForbid)
    throw new ApiError(400, `${invalid}HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: ${value}`)
  return { required: items.filter(item => !item.startsWith('!')).map(item => [item]), forbidden }
}

const ANY_FORMAT = "Invalid query string parameters: The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC' "

/**
 * All `root_required` parameters together. Upstream supports `in:` there in no version, although its error
 * text says since 1.39.
 */
export function parseRootTraits(values: readonly string[], features: Features): TraitsAsked {
  const early = features.rootAnyTraits ? undefined : values.find(value => value.startsWith('in:'))
  if (early !== undefined)
    throw new ApiError(
      400,
      `${ANY_FORMAT}is only supported in root_required since microversion 1.40. Got: ${early}`,
    )
  const parsed = values.map(value => parseTraitList(value, true, true))
  return {
    required: parsed.flatMap(asked => asked.required),
    forbidden: [...new Set(parsed.flatMap(asked => asked.forbidden))],
  }
}

function parseAnyTraits(value: string): TraitsAsked {
  const items = value
    .slice(3)
    .split(',')
    .map(item => item.trim())
  if (items.includes(''))
    throw new ApiError(
      400,
      "Invalid query string parameters: Expected 'required' parameter value of the form: " +
        `in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: ${value}`,
    )
  if (items.some(item => item.startsWith('!')))
    throw new ApiError(400, `${ANY_FORMAT}does not support forbidden traits. Got: ${value}`)
  return { required: [[...new Set(items)]], forbidden: [] }
}

interface AggregatesAsked {
  /** The provider must be in at least one aggregate of every list. */
  readonly memberOf: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
}

/** All `member_of<suffix>` parameters together. */
export function parseMemberOf(query: Query, suffix: string, features: Features): AggregatesAsked {
  const values = query.all(`member_of${suffix}`)
  if (values.length > 1 && !features.repeatedMemberOf)
    throw new ApiError(400, `Multiple member_of${suffix} parameters are not supported`)
  const memberOf: string[][] = []
  const forbidden: string[] = []
  for (const value of values) {
    const asked = parseAggregates(value)
    if (!asked.negated) memberOf.push(asked.uuids)
    else if (features.forbiddenAggregates) forbidden.push(...asked.uuids)
    else
      throw new ApiError(
        400,
        `Forbidden member_of${suffix} parameters are not supported in the specified microversion`,
      )
  }
  return { memberOf, forbidden }
}

function parseAggregates(value: string): { negated: boolean; uuids: string[] } {
  const [, bang = '', several = '', rest = ''] = /^(!?)(in:)?(.*)$/s.exec(value) ?? []
  if (several === '' && value.includes(','))
    throw new ApiError(
      400,
      "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid " +
        `microversion. Got: ${value}`,
    )
  const uuids = [...new Set(several === '' ? [rest] : rest.split(','))]
  for (const uuid of uuids)
    if (!isUuidLike(uuid))
      throw new ApiError(
        400,
        "Invalid query string parameters: Expected 'member_of' parameter to contain valid UUID(s). " +
          `Got: ${uuid}`,
      )
  return { negated: bang === '!', uuids }
}

export function parseInTree(value: string): string {
  const uuid = value.trim()
  if (!isUuidLike(uuid))
    throw new ApiError(
      400,
      `Invalid query string parameters: Expected 'in_tree' parameter to be a format of uuid. Got: ${value}`,
    )
  return uuid
}
