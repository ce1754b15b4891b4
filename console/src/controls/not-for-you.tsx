import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { readOperationRoles } from '../api/access.ts'
import { projectNameOf, userNameOf } from '../api/berth.ts'
import { Empty, Page, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'

/** For users who may not see a page: which role it needs, and who gives it. */
export function NotForYou({
  title,
  operation = 'berth:fleet',
}: {
  readonly title: string
  readonly operation?: string
}) {
  const { who, whyNot } = useSession()
  const needed = useQuery({
    queryKey: ['operation-roles', operation],
    queryFn: () => readOperationRoles(operation),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const project = projectNameOf(who)
  return (
    <Page title={title}>
      <Panel>
        <Empty
          title={needed.data === undefined ? 'You may not see this' : needText(needed.data.allowed_roles)}
          action={<Link href="/">Go to what you may see</Link>}
        >
          {whyNot(operation) ?? 'The server refuses it.'}{' '}
          {project !== null && `You are in project ${project}. `}
          Ask an admin of the cloud for a role, or sign in as another user than {userNameOf(who)}.
        </Empty>
      </Panel>
    </Page>
  )
}

function needText(roles: readonly string[]): string {
  const [only, ...others] = roles
  if (only === undefined) return 'No role alone is enough for this'
  return others.length === 0
    ? `You need the role ${only}`
    : `You need one of the roles ${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`
}
