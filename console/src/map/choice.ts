import { useCallback, useMemo } from 'react'
import { CHANGED_HOSTS_MAX } from '../../../src/kernel/number-bounds.ts'
import { packHosts, unpackHosts } from '../hosts/host-list-text.ts'
import { useUrlState } from '../url-state.ts'
import type { Rack } from './racks.ts'

/** How much of something is chosen. */
export type Chosen = 'all' | 'some' | 'none'

/** Attributes of what is chosen by a click. */
export const checkbox = (chosen: Chosen) => ({
  role: 'checkbox' as const,
  'aria-checked': chosen === 'some' ? ('mixed' as const) : chosen === 'all',
  'data-chosen': chosen,
})

/** The hosts that are chosen for a change. They are in the address: `hosts`, and `choose` while a click chooses. */
export interface Choice {
  readonly isOn: boolean
  readonly names: ReadonlySet<string>
  /** Adds them; or removes them, if all are chosen. False: there would be too many, and nothing is done. */
  toggle(names: readonly string[]): boolean
  add(names: readonly string[]): boolean
  clear(): void
  setOn(isOn: boolean): void
}

const readNames = (params: URLSearchParams) => new Set(unpackHosts(params.get('hosts')))

export function useChoice(): Choice {
  const [params, change] = useUrlState()
  const text = params.get('hosts')
  const isOn = params.has('choose')
  const names = useMemo(() => new Set(unpackHosts(text)), [text])
  const put = useCallback(
    (next: ReadonlySet<string>) => {
      if (next.size > CHANGED_HOSTS_MAX) return false
      change({ hosts: next.size === 0 ? null : packHosts(next), choose: 'yes' })
      return true
    },
    [change],
  )
  return useMemo(
    () => ({
      isOn,
      names,
      add: more => put(readNames(new URLSearchParams(location.search)).union(new Set(more))),
      toggle: more => {
        const now = readNames(new URLSearchParams(location.search))
        const some = new Set(more)
        return put(some.isSubsetOf(now) ? now.difference(some) : now.union(some))
      },
      clear: () => change({ hosts: null }),
      setOn: next => change({ choose: next ? 'yes' : null, hosts: null }),
    }),
    [isOn, names, put, change],
  )
}

/** How much of a rack is chosen. */
export function chosenPart({ group }: Rack, names: ReadonlySet<string>): Chosen {
  const count = group.tiles.filter(({ name }) => names.has(name)).length
  return count === 0 ? 'none' : count === group.tiles.length ? 'all' : 'some'
}
