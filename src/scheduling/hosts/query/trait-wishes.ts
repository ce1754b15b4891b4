import { isList, type JsonValue } from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import type { FlavorView, ImageView, SchedulingRequest } from '../request-view.ts'

/** A trait that hosts are ranked by, and never refused for. */
export interface TraitWish {
  /** The suffix of the request group whose provider counts; '' for the host with all its providers. */
  readonly group: string
  readonly trait: string
  readonly value: 'preferred' | 'avoided'
}

/** The values of `trait:NAME` that are wishes. */
export const isWishValue = (value: unknown): value is TraitWish['value'] =>
  value === 'preferred' || value === 'avoided'

/** Wishes of request groups that are tried for the choice of a provider in a host; each doubles what may be searched. */
export const GROUP_WISHES_MAX = 8

const KEY = /^trait([a-zA-Z0-9_-]{0,64}):([^\n]+)$/

export const isTraitKey = (key: string): boolean => KEY.test(key)

const listOfFlavor = memoizeByIdentity(({ extraSpecs }: FlavorView): readonly TraitWish[] =>
  [...extraSpecs].flatMap(([key, value]) => {
    const [, group, trait] = isWishValue(value) ? (KEY.exec(key) ?? []) : []
    return group === undefined || trait === undefined || !isWishValue(value) ? [] : [{ group, trait, value }]
  }),
)

/** An image has them as it has required traits under `traits_required`. */
const listOfImage = memoizeByIdentity(({ properties }: ImageView): readonly TraitWish[] => [
  ...listNames(properties.get('traits_preferred')).map(trait => makeImageWish(trait, 'preferred')),
  ...listNames(properties.get('traits_avoided')).map(trait => makeImageWish(trait, 'avoided')),
])

const makeImageWish = (trait: string, value: TraitWish['value']): TraitWish => ({ group: '', trait, value })

const listNames = (value: JsonValue | undefined): readonly string[] =>
  isList(value ?? null) ? (value as readonly JsonValue[]).filter(one => typeof one === 'string') : []

/** The wishes of flavor and image, each once. */
export const listTraitWishes = memoizeByIdentity(
  ({ flavor, image }: Pick<SchedulingRequest, 'flavor' | 'image'>): readonly TraitWish[] => {
    const all = [...listOfFlavor(flavor), ...(image === null ? [] : listOfImage(image))]
    const byText = new Map(all.map(one => [`${one.group}:${one.trait}=${one.value}`, one]))
    return all.length === 0 ? all : [...byText.values()]
  },
)

/** Those about one request group, as many as are tried. */
export const listGroupWishes = (wishes: readonly TraitWish[]): readonly TraitWish[] =>
  wishes.filter(({ group }) => group !== '').slice(0, GROUP_WISHES_MAX)
