import { useSyncExternalStore } from 'react'

/** The last change of hosts of this tab: it can be undone wherever one is by then. */
export interface LastChange {
  readonly revision: number
  /** Such as `Disabled 12 hosts.` */
  readonly text: string
}

const NAME = 'berth-last-change'
const listeners = new Set<() => void>()
let known: { readonly text: string | null; readonly value: LastChange | null } = { text: null, value: null }

export function noteChange(change: LastChange | null): void {
  if (change === null) sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, JSON.stringify(change))
  for (const listener of listeners) listener()
}

function read(): LastChange | null {
  const text = sessionStorage.getItem(NAME)
  if (text !== known.text) known = { text, value: text === null ? null : parse(text) }
  return known.value
}

function parse(text: string): LastChange | null {
  try {
    return JSON.parse(text) as LastChange
  } catch {
    return null
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLastChange = (): LastChange | null => useSyncExternalStore(subscribe, read)
