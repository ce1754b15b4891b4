import type { IconName } from '../controls/icons.tsx'

export interface PaletteAction {
  /** Where it leads; empty for those that are done in place. */
  readonly to: string
  readonly act?: 'scheme' | 'help' | 'copy-link'
  readonly label: string
  /** Further words that find it. */
  readonly words: string
  readonly icon: IconName
  readonly service?: string
  readonly operation?: string
}

/** What the search offers besides pages and things. */
export const paletteActions: readonly PaletteAction[] = [
  {
    to: '/decisions?outcome=refused&hours=1',
    label: 'Show refusals of the last hour',
    words: 'failed no valid host why',
    icon: 'question',
    service: 'compute',
    operation: 'berth:decisions',
  },
  {
    to: '/why',
    label: 'Explain why a server finds no host',
    words: 'ask schedule fit',
    icon: 'funnel',
    service: 'compute',
    operation: 'berth:explain:hosts',
  },
  {
    to: '/what-if',
    label: 'Try what happens if hosts are drained or added',
    words: 'simulate maintenance rack',
    icon: 'branch',
    service: 'compute',
    operation: 'berth:simulate',
  },
  {
    to: '/?mark=disabled',
    label: 'Show disabled hosts',
    words: 'maintenance',
    icon: 'map',
    operation: 'berth:fleet',
  },
  {
    to: '/?mark=down',
    label: 'Show hosts that are down',
    words: 'failed silent',
    icon: 'map',
    operation: 'berth:fleet',
  },
  {
    to: '/shares/new',
    label: 'Create a share',
    words: 'new storage',
    icon: 'plus',
    service: 'share',
    operation: 'share:create',
  },
  {
    to: '/access/users?state=disabled',
    label: 'Show disabled users',
    words: 'access locked accounts',
    icon: 'user',
    operation: 'identity:list_users',
  },
  {
    to: '/access/audit?since=24h',
    label: 'Show who changed what in the last day',
    words: 'audit log history',
    icon: 'clock',
    operation: 'berth:audit',
  },
  {
    to: '/catalog/drift',
    label: 'Show metadata that the catalog does not allow',
    words: 'drift lint extra specs',
    icon: 'book',
    service: 'catalog',
    operation: 'berth:catalog:drift',
  },
  { to: '', act: 'scheme', label: 'Switch between light and dark', words: 'color theme', icon: 'moon' },
  { to: '', act: 'copy-link', label: 'Copy a link to this view', words: 'share url address', icon: 'link' },
  { to: '', act: 'help', label: 'Show the keys', words: 'keyboard shortcuts help', icon: 'question' },
]
