import { Link } from 'wouter'
import { nameOf, shortId, useKnownShares } from './use-shares.ts'

const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/

/** A link by the name of a share; its id if it is not visible. */
export function ShareLink({ id }: { readonly id: string }) {
  const known = useKnownShares().get(id)
  if (known === undefined) return <code title={id}>{shortId(id)}</code>
  return <Link href={`/shares/${id}`}>{nameOf(known)}</Link>
}

/** A text of the server, with links for ids of shares. */
export function ShareText({ text }: { readonly text: string }) {
  return text
    .split(UUID)
    .map((part, at) => (at % 2 === 0 ? part : <ShareLink key={`${at} ${part}`} id={part} />))
}
