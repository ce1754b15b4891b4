import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

export type Change = Readonly<Record<string, string | null>>

/** The state of a view is its query string: what can be seen can be linked to. */
export function useUrlState(): [
  URLSearchParams,
  (change: Change, options?: { readonly push?: boolean }) => void,
] {
  const [params, setParams] = useSearchParams()
  const change = useCallback(
    (changes: Change, { push = false } = {}) =>
      setParams(
        before => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes))
            if (value === null || value === '') after.delete(name)
            else after.set(name, value)
          return after
        },
        { replace: !push },
      ),
    [setParams],
  )
  return [params, change]
}
