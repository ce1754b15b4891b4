import { Link } from 'wouter'

/** Leads to the page of a server or another consumer. */
export function ConsumerLink({
  uuid,
  name = null,
}: {
  readonly uuid: string
  readonly name?: string | null
}) {
  return (
    <Link href={`/servers/${encodeURIComponent(uuid)}`} title={uuid}>
      {name === null ? <code>{uuid}</code> : name}
    </Link>
  )
}
