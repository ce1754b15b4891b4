import { TextInput } from '@mantine/core'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Page } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { CredentialsPanel } from './credentials-panel.tsx'
import { KeptElsewhere } from './kept-elsewhere.tsx'
import { StaticTokensPanel } from './static-tokens-panel.tsx'
import { useKeepsUsers } from './use-access.ts'
import { UserTokensPanel } from './user-tokens-panel.tsx'

/** Everything that lets somebody in: tokens of users, static tokens, application credentials. */
export default function Tokens() {
  const { may } = useSession()
  const [params, change] = useUrlState()
  const keepsUsers = useKeepsUsers()
  if (!may('berth:tokens:users') && !may('berth:tokens') && !may('berth:credentials'))
    return <NotForYou title="Tokens" operation="berth:tokens:users" />
  const q = params.get('q') ?? ''
  const search = q.trim().toLowerCase()
  return (
    <Page
      title="Tokens"
      text="What lets people and programs in. The server knows only hashes: no token is shown here, and when one was last used is not recorded."
      actions={
        <TextInput
          aria-label="Filter tokens and credentials"
          placeholder="User, project, role, name"
          leftSection={<Icon name="search" size={13} />}
          value={q}
          onChange={event => change({ q: event.currentTarget.value })}
        />
      }
    >
      {keepsUsers ? (
        <UserTokensPanel search={search} />
      ) : (
        <KeptElsewhere what="users and their tokens" command="openstack user set --disable USER" />
      )}
      <StaticTokensPanel search={search} />
      {keepsUsers && <CredentialsPanel search={search} />}
    </Page>
  )
}
