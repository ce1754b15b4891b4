import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'

type Change = Readonly<Record<string, string | null>>

/** The state of a view is its query string, so every view can be linked to. */
export function useUrlState(): [URLSearchParams, typeof changeUrl] {
  const [params] = useSearchParams()
  return [params, changeUrl]
}

/** Reads the current address: the caller may have rendered with an older one. */
export function changeUrl(changes: Change, { push = false }: { readonly push?: boolean } = {}): void {
  const after = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') after.delete(name)
    else after.set(name, value)
  const query = after.toString()
  navigate(query === '' ? location.pathname : `${location.pathname}?${query}`, { replace: !push })
}
