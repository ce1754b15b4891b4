import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { Inventory } from '../../../src/wire/fleet.ts'
import { readProvider } from '../api/placement.ts'
import { berthCommands } from '../berth-commands.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, FailureNote, Loading, Page, Panel } from '../controls/page.tsx'
import { type Fleet, figuresOf, type Provider, SHARING, shareOf } from '../fleet/fleet.ts'
import { byImportance, className, isImportant, percent, plural } from '../formats.ts'
import { LandingPanels } from '../landing/landing-panels.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'
import { usePicture } from '../session/session.tsx'
import { UsagePanel } from '../usage/usage-panel.tsx'
import { AggregatesPanel } from './aggregates-panel.tsx'
import { ConsumersPanel } from './consumers-panel.tsx'
import { HostSwitch } from './host-switch.tsx'
import { InventoriesPanel } from './inventories-panel.tsx'
import styles from './provider-page.module.css'
import { nodeOf, ProviderTree } from './provider-tree.tsx'
import { kindOf } from './providers.tsx'
import { TraitsPanel } from './traits-panel.tsx'

export default function ProviderPage() {
  const { uuid = '' } = useParams<{ uuid: string }>()
  const { fleet, phase } = usePicture()
  const provider = fleet.providers.get(uuid)
  if (phase === 'refused') return <NotForYou title="Provider" operation="placement:resource_providers:show" />
  if (provider === undefined) return phase === 'live' ? <Missing uuid={uuid} /> : <Loading what="the fleet" />
  return <Details provider={provider} />
}

function Details({ provider }: { readonly provider: Provider }) {
  const picture = usePicture()
  const { fleet } = picture
  const [, navigate] = useLocation()
  const root = fleet.providers.get(provider.root) ?? provider
  const roots = useMemo(() => [nodeOf(root, one => picture.fleet.childrenOf(one))], [root, picture])
  return (
    <Page
      title={provider.name}
      trail={[
        ['Providers', '/providers'],
        ...(root === provider ? [] : [[root.name, `/providers/${root.uuid}`] as const]),
      ]}
      text={
        <>
          <Chip>{kindOf(fleet, provider)}</Chip> <code>{provider.uuid}</code>
        </>
      }
      actions={<HostSwitch key={root.uuid} root={root} />}
    >
      <div className={styles.columns}>
        <Panel
          title="Tree"
          aside={<span className="soft">{plural(fleet.subtree(root.uuid).length, 'provider')}</span>}
          flush
        >
          <ProviderTree
            key={root.uuid}
            roots={roots}
            label={`Tree of ${root.name}`}
            selected={provider.uuid}
            onSelect={chosen => navigate(`/providers/${chosen}`)}
            aside={uuid => <TreeUsage fleet={fleet} uuid={uuid} />}
          />
          <Sharing provider={provider} />
        </Panel>
        <div className={styles.details} key={provider.uuid}>
          <InventoriesPanel provider={provider} />
          <TraitsPanel provider={provider} />
          <AggregatesPanel provider={provider} />
          <ConsumersPanel provider={provider} />
          <HostUsage provider={provider} />
          <HostLanding provider={provider} />
        </div>
      </div>
    </Page>
  )
}

/** Of a provider that is a host. */
function HostLanding({ provider }: { readonly provider: Provider }) {
  const { hosts } = useSurroundings()
  const host = hosts.get(provider.uuid)?.name
  if (host === undefined) return null
  return (
    <LandingPanels
      target={{ host }}
      commands={{
        flavors: berthCommands.flavorsOfHost(host),
        violations: berthCommands.violationsOfHost(host),
      }}
      queryKey={['hosts', host]}
    />
  )
}

/** Of a provider that is a host: how full its tightest class was. */
function HostUsage({ provider }: { readonly provider: Provider }) {
  const { hosts } = useSurroundings()
  const host = hosts.get(provider.uuid)?.name
  return host === undefined ? null : <UsagePanel scope={{ host }} place={host} />
}

/** The usage of the most important classes. */
function TreeUsage({ fleet, uuid }: { readonly fleet: Fleet; readonly uuid: string }) {
  const provider = fleet.providers.get(uuid)
  if (provider === undefined) return null
  const names = [...provider.inventories.keys()].sort(byImportance)
  const shown = names.slice(0, isImportant(names[1]) ? 2 : 1)
  return shown.map(name => {
    const figures = figuresOf(provider.inventories.get(name) as Inventory, provider.usages.get(name) ?? 0)
    return (
      <span key={name}>
        {className(name)} {percent(shareOf(figures))}
      </span>
    )
  })
}

function Sharing({ provider }: { readonly provider: Provider }) {
  const { fleet } = usePicture()
  const { hosts } = useSurroundings()
  if (provider.traits.has(SHARING)) {
    const trees = fleet.roots.filter(root => fleet.sharingWith(root).includes(provider))
    return (
      <div className={styles.conflict}>
        <p className="soft">Shares what it has with {plural(trees.length, 'tree')}:</p>
        <div className={styles.chips}>
          {trees.slice(0, 60).map(tree => (
            <Chip key={tree.uuid}>
              <Link href={`/providers/${tree.uuid}`}>{tree.name}</Link>
            </Chip>
          ))}
          {trees.length > 60 && <span className="soft">and {trees.length - 60} more</span>}
        </div>
      </div>
    )
  }
  const sharing = fleet.sharingWith(provider)
  if (sharing.length === 0 || !hosts.has(provider.root)) return null
  return (
    <div className={styles.conflict}>
      <p className="soft">Takes from providers that share, through aggregates:</p>
      <div className={styles.chips}>
        {sharing.map(one => (
          <Chip key={one.uuid} tone="accent">
            <Link href={`/providers/${one.uuid}`}>{one.name}</Link>
            <span>{[...one.inventories.keys()].join(', ')}</span>
          </Chip>
        ))}
      </div>
    </div>
  )
}

/** It may be new: ask the server. */
function Missing({ uuid }: { readonly uuid: string }) {
  const asked = useQuery({ queryKey: ['provider', uuid], queryFn: () => readProvider(uuid) })
  if (asked.isPending) return <Loading what="the provider" />
  return (
    <Page title="No such provider" trail={[['Providers', '/providers']]}>
      <Panel>
        <Empty title={`There is no provider ${uuid}`}>
          It was deleted, or the link is from another cloud. <Link href="/providers">All providers</Link>
        </Empty>
        {asked.error !== null && <FailureNote error={asked.error} />}
      </Panel>
    </Page>
  )
}
