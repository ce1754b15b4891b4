import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { readServer } from './api/berth.ts'
import { Boundary } from './controls/boundary.tsx'
import { Empty, Loading, Page, Panel, Waiting } from './controls/page.tsx'
import { CapacityMap } from './map/capacity-map.tsx'
import { SessionProvider, useSession } from './session/session.tsx'
import { useWho } from './session/use-who.ts'
import { Shell } from './shell/shell.tsx'

const BroughtToken = lazy(() => import('./sign-in/brought-token.tsx'))
const SignIn = lazy(() => import('./sign-in/sign-in.tsx'))
const Providers = lazy(() => import('./providers/providers.tsx'))
const ProviderPage = lazy(() => import('./providers/provider-page.tsx'))
const Candidates = lazy(() => import('./candidates/candidates.tsx'))
const Flavors = lazy(() => import('./flavors/flavors.tsx'))
const FlavorPage = lazy(() => import('./flavors/flavor-page.tsx'))
const Aggregates = lazy(() => import('./aggregates/aggregates.tsx'))
const AggregatePage = lazy(() => import('./aggregates/aggregate-page.tsx'))
const Catalog = lazy(() => import('./catalog/catalog.tsx'))
const NamespacePage = lazy(() => import('./catalog/namespace-page.tsx'))
const CatalogImport = lazy(() => import('./catalog/catalog-import.tsx'))
const CatalogDrift = lazy(() => import('./catalog/catalog-drift.tsx'))
const Shares = lazy(() => import('./shares/shares.tsx'))
const NewShare = lazy(() => import('./shares/new-share.tsx'))
const ShareTypes = lazy(() => import('./share-types/share-types.tsx'))
const ShareTypePage = lazy(() => import('./share-types/share-type-page.tsx'))
const SharePage = lazy(() => import('./shares/share-page.tsx'))
const ShareMove = lazy(() => import('./shares/share-move.tsx'))
const Home = lazy(() => import('./home/home.tsx'))
const ConsumerPage = lazy(() => import('./consumers/consumer-page.tsx'))
const Why = lazy(() => import('./why/why.tsx'))
const WhatIf = lazy(() => import('./what-if/what-if.tsx'))
const BootPage = lazy(() => import('./why/boot-page.tsx'))
const Decisions = lazy(() => import('./why/decisions.tsx'))
const UsagePage = lazy(() => import('./usage/usage-page.tsx'))
const ActivityPage = lazy(() => import('./usage/activity-page.tsx'))
const ShadowPage = lazy(() => import('./shadow/shadow-page.tsx'))
const DecisionPage = lazy(() => import('./why/decision-page.tsx'))
const ChangeHostsPage = lazy(() => import('./hosts/change-hosts-page.tsx'))
const Users = lazy(() => import('./access/users.tsx'))
const UserPage = lazy(() => import('./access/user-page.tsx'))
const Projects = lazy(() => import('./access/projects.tsx'))
const ProjectPage = lazy(() => import('./access/project-page.tsx'))
const Tokens = lazy(() => import('./access/tokens.tsx'))
const Policy = lazy(() => import('./access/policy.tsx'))
const Audit = lazy(() => import('./access/audit.tsx'))

export function App() {
  const server = useQuery({ queryKey: ['server'], queryFn: readServer, staleTime: Number.POSITIVE_INFINITY })
  const { who, hint, isTrying, enter, leave, brought, stay } = useWho()
  const [path] = useLocation()
  if (server.data === undefined) return <Waiting query={server} what="the server" />
  if (isTrying) return <Loading what="who you are" />
  if (who === null && brought !== null)
    return (
      <Suspense>
        <BroughtToken token={brought} onStay={stay} onSignedIn={enter} />
      </Suspense>
    )
  if (who === null)
    return (
      <Suspense>
        <SignIn server={server.data} hint={hint} onSignedIn={enter} />
      </Suspense>
    )
  return (
    <SessionProvider who={who} server={server.data} onSignOut={leave}>
      <Shell>
        <Boundary at={path}>
          <Suspense fallback={<Loading what="the view" />}>
            <Views />
          </Suspense>
        </Boundary>
      </Shell>
    </SessionProvider>
  )
}

function Views() {
  return (
    <Switch>
      <Route path="/" component={Start} />
      <Route path="/home" component={Home} />
      <Route path="/hosts/change" component={ChangeHostsPage} />
      <Route path="/providers" component={Providers} />
      <Route path="/providers/:uuid" component={ProviderPage} />
      <Route path="/usage" component={UsagePage} />
      <Route path="/activity" component={ActivityPage} />
      <Route path="/candidates" component={Candidates} />
      <Route path="/why" component={Why} />
      <Route path="/what-if" component={WhatIf} />
      <Route path="/shadow" component={ShadowPage} />
      <Route path="/decisions" component={Decisions} />
      <Route path="/decisions/:id" component={DecisionPage} />
      <Route path="/boots/:id" component={BootPage} />
      <Route path="/servers/:uuid" component={ConsumerPage} />
      <Route path="/flavors" component={Flavors} />
      <Route path="/flavors/:id" component={FlavorPage} />
      <Route path="/aggregates" component={Aggregates} />
      <Route path="/aggregates/:id" component={AggregatePage} />
      <Route path="/catalog" component={Catalog} />
      <Route path="/catalog/import" component={CatalogImport} />
      <Route path="/catalog/drift" component={CatalogDrift} />
      <Route path="/catalog/namespaces/:namespace" component={NamespacePage} />
      <Route path="/shares" component={Shares} />
      <Route path="/shares/new" component={NewShare} />
      <Route path="/shares/types" component={ShareTypes} />
      <Route path="/shares/types/:id" component={ShareTypePage} />
      <Route path="/shares/:id" component={SharePage} />
      <Route path="/shares/:id/move" component={ShareMove} />
      <Route path="/access/users" component={Users} />
      <Route path="/access/users/:id" component={UserPage} />
      <Route path="/access/projects" component={Projects} />
      <Route path="/access/projects/:id" component={ProjectPage} />
      <Route path="/access/tokens" component={Tokens} />
      <Route path="/access/policy" component={Policy} />
      <Route path="/access/audit" component={Audit} />
      <Route component={Lost} />
    </Switch>
  )
}

/** The map, for those who may see hosts. */
function Start() {
  const { may } = useSession()
  return may('berth:fleet') ? <CapacityMap /> : <Home />
}

function Lost() {
  return (
    <Page title="Nothing is here">
      <Panel>
        <Empty title={`There is no page ${location.pathname}`}>
          The link may be mistyped, or from another version. Press <kbd>/</kbd> to look for a host, a flavor
          or a page.
        </Empty>
      </Panel>
    </Page>
  )
}
