import type { Weigher } from '../../framework/weigher.ts'
import type { HostView } from '../host-view.ts'
import { listTraitWishes, type TraitWish } from '../query/trait-wishes.ts'

const has = (host: HostView, { trait, group }: TraitWish): boolean => host.hasTrait(trait, group)

const describeWish = (host: HostView, wish: TraitWish): string => {
  const where = wish.group === '' ? '' : ` for group ${wish.group}`
  return `${has(host, wish) ? 'has' : 'lacks'} ${wish.trait}${where} (${wish.value})`
}

/** Each preferred trait counts 1, each avoided one -1. By default it outweighs free memory, CPUs and disk. */
export const preferredTraitsWeigher: Weigher = {
  name: 'PreferredTraitsWeigher',
  summary:
    'Prefers hosts with traits that flavor or image prefer, and without those that they avoid: each preferred trait ' +
    'counts 1, each avoided one -1.',
  multiplierKey: 'preferred_traits_weight_multiplier',
  multiplier: 10,
  multiplierMin: 0,
  reads: {
    extraSpecs: ['trait*:*'],
    imageProperties: ['trait:*'],
    host: ['traits'],
  },
  isIdle: request => listTraitWishes(request).length === 0,
  weigh(request, host) {
    let weight = 0
    for (const wish of listTraitWishes(request))
      if (has(host, wish)) weight += wish.value === 'preferred' ? 1 : -1
    return weight
  },
  explain: (request, host) =>
    listTraitWishes(request)
      .map(wish => describeWish(host, wish))
      .join(', '),
}
