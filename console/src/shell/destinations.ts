import type { IconName } from '../controls/icons.tsx'

interface Destination {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  /** Pressed after g. */
  readonly key: string
  /** Shown only where the server has this service. */
  readonly service?: string
}

export const destinations: readonly (readonly [group: string, items: readonly Destination[]])[] = [
  [
    'Cloud',
    [
      { to: '/', label: 'Capacity', icon: 'map', key: 'm' },
      { to: '/providers', label: 'Providers', icon: 'tree', key: 'p' },
      { to: '/usage', label: 'Usage over time', icon: 'chart', key: 'u' },
      { to: '/activity', label: 'Activity', icon: 'clock', key: 'y' },
    ],
  ],
  [
    'Placement',
    [
      { to: '/candidates', label: 'Candidates', icon: 'search', key: 'c' },
      { to: '/why', label: 'Why no host', icon: 'funnel', key: 'w', service: 'compute' },
      { to: '/what-if', label: 'What if', icon: 'branch', key: 'i', service: 'compute' },
      { to: '/decisions', label: 'Decisions', icon: 'question', key: 'd', service: 'compute' },
      { to: '/shadow', label: 'Shadow', icon: 'branch', key: 'o', service: 'shadow' },
    ],
  ],
  ['Storage', [{ to: '/shares', label: 'Shares', icon: 'share', key: 's', service: 'share' }]],
  [
    'Offering',
    [
      { to: '/flavors', label: 'Flavors', icon: 'flavor', key: 'f', service: 'compute' },
      { to: '/aggregates', label: 'Aggregates', icon: 'group', key: 'a', service: 'compute' },
      { to: '/catalog', label: 'Catalog', icon: 'book', key: 'k', service: 'catalog' },
    ],
  ],
]

export const allDestinations = destinations.flatMap(([, items]) => items)
