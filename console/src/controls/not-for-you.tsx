import { Empty, Page, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'

/** Who may not see hosts is told so, and what they can do instead. */
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
        <Empty title="This is not for everybody">
          {whyNot(operation) ?? 'The server refuses to tell.'} Ask an admin of the cloud, or sign in as one.
        </Empty>
      </Panel>
    </Page>
  )
}
