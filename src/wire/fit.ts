import { list, object, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

export const FIT_FLAVORS_DEFAULT = 100
export const FIT_FLAVORS_MAX = 500

const countFields = {
  fits: whole('How many more servers fit.'),
  hosts: whole('How many hosts take at least one.'),
  exact: yesOrNo(
    'False: about so many. A filter looks at what is on a host already, or hosts compete for shared storage; `POST /v1/simulate` counts exactly.',
  ),
}

const flavorFitShape = object('How many more servers of a flavor fit.', {
  id: text('Its id.'),
  name: text('Its name.'),
  vcpus: whole('Its processors.'),
  ram: whole('Its memory in MiB.'),
  disk: whole('Its root disk in GiB.'),
  ...countFields,
  reason: orNull(text('Why none fits, in three words; null if some do.')),
  zones: list(
    object('In one zone, if all go there.', countFields),
    'In the order of the zones of the answer.',
  ),
})

export const fitShape = object('What fits.', {
  revision: whole('The revision when the count began. Each host is counted as it is when its turn comes.'),
  zones: list(
    object('An availability zone.', { zone: text('Its name.'), hosts: whole('Its hosts.') }),
    'By name.',
  ),
  flavors: list(flavorFitShape, 'By name.'),
  truncated: yesOrNo('There are more: ask with `after` set to the id of the last one.'),
})

export type Fit = TypeOf<typeof fitShape>
export type FlavorFit = TypeOf<typeof flavorFitShape>
