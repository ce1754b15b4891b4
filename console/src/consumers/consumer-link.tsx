import { Link } from 'wouter'

/** Leads to the page of a server or another consumer. */
export function ConsumerLink({ uuid }: { readonly uuid: string }) {
  return (
    <Link href={`/servers/${encodeURIComponent(uuid)}`}>
      <code>{uuid}</code>
    </Link>
  )
}
