import type { TabSession } from './other-tabs.ts'

/** Each tab keeps its own copy; it ends with the last tab: see other-tabs.ts. */
const NAME = 'berth-token'
/** Whether the console got it for a password and may revoke it. */
const OWN = 'berth-token-is-own'

export const keptToken = (): string | null => sessionStorage.getItem(NAME)
export const isKeptOwn = (): boolean => sessionStorage.getItem(OWN) !== null

export function keptSession(): TabSession | null {
  const token = keptToken()
  return token === null ? null : { token, isOwn: isKeptOwn() }
}

export function keepToken(token: string, isOwn = token === keptToken() && isKeptOwn()): void {
  sessionStorage.setItem(NAME, token)
  if (isOwn) sessionStorage.setItem(OWN, 'yes')
  else sessionStorage.removeItem(OWN)
}

export function forgetToken(): void {
  sessionStorage.removeItem(NAME)
  sessionStorage.removeItem(OWN)
}

/** A link may carry one behind the hash, which no server sees. It is removed from the address at once, and used only after a question. */
export function tokenOfAddress(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
