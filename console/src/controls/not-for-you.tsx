import { Empty, Page, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'

/** For users who may not see hosts: why, and what to do. */
export function NotForYou({
  title,
  operation = 'berth:fleet',
}: {
  readonly title: string
  readonly operation?: string
}) {
  const { whyNot } = useSession()
  return (
    <Page title={title}>
      <Panel>
        <Empty title="You may not see this">
          {whyNot(operation) ?? 'The server refuses it.'} Ask an admin of the cloud, or sign in as one.
        </Empty>
      </Panel>
    </Page>
  )
}
