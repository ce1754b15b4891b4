import { useQuery } from '@tanstack/react-query'
import { readAccounts } from '../api/access.ts'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'

/** For servers that keep no users: who does, and the command that shows them. */
export function KeptElsewhere({ what, command }: { readonly what: string; readonly command: string }) {
  const { server, may } = useSession()
  const query = useQuery({
    queryKey: ['access', 'accounts'],
    queryFn: readAccounts,
    enabled: may('berth:accounts') && server.auth === 'keystone',
  })
  if (server.auth !== 'keystone')
    return (
      <Panel>
        <Empty title={`This server has no ${what}`}>
          It runs with <code>auth</code> = <code>{server.auth}</code> and believes what each token says. With{' '}
          <code>auth</code> = <code>token</code> it keeps users, projects and roles itself.
        </Empty>
      </Panel>
    )
  if (query.data === undefined && may('berth:accounts'))
    return (
      <Panel>
        <Waiting query={query} what="where users are" />
      </Panel>
    )
  const keystone = query.data?.keystone ?? null
  return (
    <Panel>
      <Empty title={`Keystone keeps the ${what}`} command={command}>
        {keystone === null ? (
          'They are made and changed there.'
        ) : (
          <>
            They are made and changed at <code>{keystone.url}</code>. Berth knows{' '}
            {plural(keystone.cached_tokens, 'token')} that it asked about in the last {keystone.cache_s}{' '}
            seconds.
          </>
        )}
      </Empty>
    </Panel>
  )
}
