import { projectNameOf } from '../api/berth.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Page, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { HomeFit } from './home-fit.tsx'
import { HomeServers } from './home-servers.tsx'
import { HomeShares } from './home-shares.tsx'
import { HomeUsage } from './home-usage.tsx'

/** What a member has in the project of the token, and may have. */
export default function Home() {
  const { who, may, has } = useSession()
  const project = who.project_id
  if (project === null)
    return (
      <Page title="Home">
        <Panel>
          <Empty title="You are in no project">Sign in to a project to see its servers and shares.</Empty>
        </Panel>
      </Page>
    )
  if (!may('berth:project')) return <NotForYou title="Home" operation="berth:project" />
  return (
    <Page title={`Project ${projectNameOf(who)}`} text="What it has, and what it can have.">
      <HomeUsage project={project} />
      <HomeServers project={project} />
      {has('share') && may('share:get_all') && <HomeShares project={project} />}
      {may('berth:project:fit') && <HomeFit project={project} />}
    </Page>
  )
}
