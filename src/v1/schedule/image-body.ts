import { ownValue } from '../../kernel/records.ts'
import { isList, type JsonValue } from '../../scheduling/framework/json-value.ts'
import { isAnyOf, readAnyOf } from '../../scheduling/hosts/query/any-traits.ts'
import { isWishValue, type TraitWish } from '../../scheduling/hosts/query/trait-wishes.ts'
import type { ImageSpec } from '../../scheduling/hosts/server-spec.ts'
import type { AskBody } from '../../wire/scheduling.ts'
import { Problem } from '../api/problem.ts'

/** Old names of image properties that are still in use. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  architecture: 'hw_architecture',
  hypervisor_type: 'img_hv_type',
  hypervisor_version_requires: 'img_hv_requested_version',
  vm_mode: 'hw_vm_mode',
}

interface GivenImage extends Omit<NonNullable<AskBody['image']>, 'properties'> {
  readonly properties?: Readonly<Record<string, unknown>>
}

/**
 * Image properties as in Glance: `trait:X = required` requires a trait, `trait:LABEL = in:A,B` one of these; `preferred` and
 * `avoided` rank hosts. Old names are translated.
 */
export function parseImage(image: GivenImage): ImageSpec {
  const given = Object.entries(image.properties ?? {}) as [string, JsonValue][]
  const named = given.filter(([key]) => Object.hasOwn(OLD_NAMES, key))
  const properties: Record<string, JsonValue> = {
    ...Object.fromEntries(named.map(([key, value]) => [ownValue(OLD_NAMES, key) as string, value])),
    ...Object.fromEntries(given.filter(([key]) => !Object.hasOwn(OLD_NAMES, key) && !key.startsWith(TRAIT))),
  }
  const listed = properties.traits_required
  if (listed !== undefined && !isTraitList(listed))
    throw makePropertyProblem('traits_required', listed, 'is not a list of traits')
  const traits = given
    .filter(([key, value]) => key.startsWith(TRAIT) && !isWishValue(value))
    .map(([key, value]) => parseImageTrait(key, value))
  const preferred = listWishes(given, 'preferred', properties.traits_preferred)
  const avoided = listWishes(given, 'avoided', properties.traits_avoided)
  if (preferred.length > 0) properties.traits_preferred = preferred
  if (avoided.length > 0) properties.traits_avoided = avoided
  if (traits.length > 0)
    properties.traits_required = [
      ...new Set([...((listed as readonly JsonValue[] | undefined) ?? []), ...traits]),
    ]
  return { id: image.id ?? null, disk_format: image.disk_format ?? null, properties }
}

const TRAIT = 'trait:'

/** The traits with a wish: those that are listed already, and those of `trait:X`. */
function listWishes(
  given: readonly (readonly [string, JsonValue])[],
  wish: TraitWish['value'],
  listed: JsonValue = [],
): string[] {
  const keys = given.filter(([key, value]) => key.startsWith(TRAIT) && value === wish).map(([key]) => key)
  if (keys.includes(TRAIT)) throw makePropertyProblem(TRAIT, wish, 'names no trait')
  const before = isList(listed) ? listed.filter(one => typeof one === 'string') : []
  return [...new Set([...before, ...keys.map(key => key.slice(TRAIT.length))])]
}

/** Of names and, for alternatives, of lists of names. */
const isTraitList = (value: JsonValue): boolean =>
  isList(value) &&
  value.every(
    one =>
      typeof one === 'string' ||
      (isList(one) && one.length > 0 && one.every(name => typeof name === 'string')),
  )

/** One trait, or a list of alternatives. An invalid one is refused: nothing is placed without it. */
function parseImageTrait(key: string, value: JsonValue): JsonValue {
  if (value === 'required' && key.length > TRAIT.length) return key.slice(TRAIT.length)
  if (typeof value !== 'string' || !isAnyOf(value))
    throw makePropertyProblem(key, value, 'is not required, preferred, avoided or in:TRAIT,TRAIT')
  const read = readAnyOf(value)
  if (!read.ok) throw makePropertyProblem(key, value, read.fault)
  const [only, ...others] = read.traits
  return others.length === 0 ? (only as string) : read.traits
}

const makePropertyProblem = (property: string, value: JsonValue, fault: string): Problem =>
  new Problem(
    400,
    'schedule.bad-image-property',
    `The image has ${property} = ${JSON.stringify(value)}, which ${fault}.`,
    { property, value },
  )
