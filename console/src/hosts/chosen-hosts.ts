import { useMemo } from 'react'
import type { Host } from '../../../src/wire/hosts.ts'
import { orderKey } from '../formats.ts'
import { groupNames, type Surroundings, tileOfHost } from '../map/tiles.ts'
import { unpackHosts } from './host-list-text.ts'

export interface ChosenHosts {
  /** Such as `rack b2`, or `12 hosts`. */
  readonly title: string
  readonly hosts: readonly Host[]
  /** Named in the address, and not there. */
  readonly missing: readonly string[]
}

/** The hosts that an address chooses: by `rack`, `zone` or `aggregate`, or one by one by `hosts`. */
export function useChosenHosts(params: URLSearchParams, around: Surroundings): ChosenHosts {
  return useMemo(() => chosenHosts(params, around), [params, around])
}

function chosenHosts(params: URLSearchParams, around: Surroundings): ChosenHosts {
  const all = [...around.hosts.values()]
  for (const by of ['rack', 'zone', 'aggregate'] as const) {
    const wanted = params.get(by)
    if (wanted === null) continue
    const namesOf = groupNames(by, around)
    const hosts = all.filter(host => namesOf(tileOfHost(host)).includes(wanted))
    return { title: wanted, hosts: inOrder(hosts), missing: [] }
  }
  const names = new Set(unpackHosts(params.get('hosts')))
  const hosts = all.filter(({ name }) => names.has(name))
  const known = new Set(hosts.map(({ name }) => name))
  const missing = [...names].filter(name => !known.has(name))
  return { title: '', hosts: inOrder(hosts), missing }
}

const inOrder = (hosts: readonly Host[]): Host[] =>
  hosts.toSorted((one, other) => (orderKey(one.name) < orderKey(other.name) ? -1 : 1))
