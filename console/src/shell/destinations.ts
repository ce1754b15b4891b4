import type { IconName } from '../controls/icons.tsx'

interface Destination {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  /** Pressed after g. */
  readonly key: string
  /** Shown only where the server has this service. */
  readonly service?: string
  /** Shown only to those who may do this. */
  readonly operation?: string
}

export const destinations: readonly (readonly [group: string, items: readonly Destination[]])[] = [
  [
    'Cloud',
    [
      { to: '/', label: 'Capacity', icon: 'map', key: 'm' },
      { to: '/providers', label: 'Providers', icon: 'tree', key: 'p', operation: 'berth:fleet' },
      { to: '/usage', label: 'Usage over time', icon: 'chart', key: 'u', operation: 'berth:history' },
      { to: '/activity', label: 'Activity', icon: 'clock', key: 'y', operation: 'berth:activity' },
    ],
  ],
  [
    'Placement',
    [
      {
        to: '/candidates',
        label: 'Candidates',
        icon: 'search',
        key: 'c',
        operation: 'placement:allocation_candidates:list',
      },
      {
        to: '/why',
        label: 'Why no host',
        icon: 'funnel',
        key: 'w',
        service: 'compute',
        operation: 'berth:explain:hosts',
      },
      {
        to: '/what-if',
        label: 'What if',
        icon: 'branch',
        key: 'i',
        service: 'compute',
        operation: 'berth:simulate',
      },
      {
        to: '/decisions',
        label: 'Decisions',
        icon: 'question',
        key: 'd',
        service: 'compute',
        operation: 'berth:decisions',
      },
      {
        to: '/shadow',
        label: 'Shadow',
        icon: 'branch',
        key: 'o',
        service: 'shadow',
        operation: 'berth:shadow',
      },
    ],
  ],
  [
    'Storage',
    [
      {
        to: '/shares',
        label: 'Shares',
        icon: 'share',
        key: 's',
        service: 'share',
        operation: 'share:get_all',
      },
    ],
  ],
  [
    'Offering',
    [
      { to: '/flavors', label: 'Flavors', icon: 'flavor', key: 'f', service: 'compute' },
      {
        to: '/aggregates',
        label: 'Aggregates',
        icon: 'group',
        key: 'a',
        service: 'compute',
        operation: 'os_compute_api:os-aggregates:index',
      },
      {
        to: '/catalog',
        label: 'Catalog',
        icon: 'book',
        key: 'k',
        service: 'catalog',
        operation: 'get_metadef_namespaces',
      },
    ],
  ],
  [
    'Access',
    [
      { to: '/access/users', label: 'Users', icon: 'user', key: 'e', operation: 'identity:list_users' },
      { to: '/access/projects', label: 'Projects', icon: 'group', key: 'j', operation: 'berth:projects' },
      { to: '/access/tokens', label: 'Tokens', icon: 'link', key: 't', operation: 'berth:tokens:users' },
      { to: '/access/policy', label: 'Roles and policy', icon: 'check', key: 'r', operation: 'berth:policy' },
      { to: '/access/audit', label: 'Audit log', icon: 'table', key: 'l', operation: 'berth:audit' },
    ],
  ],
]

export const allDestinations = destinations.flatMap(([, items]) => items)

/** The server has it, and the caller may see it. */
export const isOffered = (
  { service, operation }: Pick<Destination, 'service' | 'operation'>,
  { has, may }: { has(service: string): boolean; may(operation: string): boolean },
): boolean => (service === undefined || has(service)) && (operation === undefined || may(operation))
