import { ActionIcon, Menu } from '@mantine/core'
import { projectNameOf, userNameOf } from '../api/berth.ts'
import { Icon } from '../controls/icons.tsx'
import { Chip } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'

/** Opens at once: it is loaded because somebody pressed its button. */
export default function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { who, signOut } = useSession()
  return (
    <Menu position="bottom-end" width={240} defaultOpened>
      <Menu.Target>
        <ActionIcon aria-label={`Signed in as ${userNameOf(who)}`}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span title={`user ${who.user_id}`}>{userNameOf(who)}</span>
          {who.project_id !== null && (
            <>
              {' '}
              in <span title={`project ${who.project_id}`}>{projectNameOf(who)}</span>
            </>
          )}
          <br />
          {who.roles.length === 0 ? 'without a role' : who.roles.map(role => <Chip key={role}>{role}</Chip>)}
        </Menu.Label>
        <Menu.Item onClick={onHelp}>Keyboard shortcuts</Menu.Item>
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
