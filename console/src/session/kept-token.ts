/** Kept for this tab only, and gone with it. */
const NAME = 'berth-token'

export const keptToken = (): string | null => sessionStorage.getItem(NAME)
export const keepToken = (token: string): void => sessionStorage.setItem(NAME, token)
export const forgetToken = (): void => sessionStorage.removeItem(NAME)

/** A link may bring one along behind the hash, which no server sees. It is taken out of the address at once. */
export function tokenOfAddress(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
