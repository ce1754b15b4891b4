import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ListedDecision } from '../../../src/wire/decisions.ts'
import type { HostAggregate } from '../../../src/wire/openstack-compute.ts'
import { findRackTitle } from '../../../src/words/rack-name.ts'
import { findConsumers } from '../api/berth.ts'
import { readAggregates, readFlavors } from '../api/compute.ts'
import { findProjectServers } from '../api/projects.ts'
import { findDecisions } from '../api/scheduling.ts'
import { readShares } from '../api/shares.ts'
import type { IconName } from '../controls/icons.tsx'
import type { Fleet } from '../fleet/fleet.ts'
import { momentText } from '../formats.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { allDestinations, isOffered } from './destinations.ts'
import { type PaletteAction, paletteActions } from './palette-actions.ts'
import { sharePlaces } from './share-places.ts'

export interface Found {
  readonly to: string
  readonly act?: NonNullable<PaletteAction['act']>
  readonly label: string
  readonly kind: string
  readonly icon: IconName
}

const SHOWN_MAX = 40
/** Shorter texts are in too many names. */
const SERVER_CHARS_MIN = 3
/** The same list each time, so that nothing is searched again for it. */
const NONE: readonly never[] = []

/** What the server has, and what it finds for an id. */
function useThings(text: string) {
  const { may, has, who } = useSession()
  const flavors = useQuery({
    queryKey: ['flavors'],
    queryFn: () => readFlavors(may('context_is_admin')),
    enabled: has('compute'),
  })
  const aggregates = useQuery({
    queryKey: ['aggregates'],
    queryFn: readAggregates,
    enabled: has('compute') && may('os_compute_api:os-aggregates:index'),
  })
  const shares = useQuery({
    queryKey: ['shares', 'all', false],
    queryFn: () => readShares(may('context_is_admin'), false),
    enabled: has('share'),
  })
  const typed = text.trim().toLowerCase()
  const isLong = typed.length >= SERVER_CHARS_MIN && !typed.startsWith('>')
  const consumers = useQuery({
    queryKey: ['consumers', 'found', typed],
    queryFn: () => findConsumers(typed),
    enabled: isLong && may('berth:fleet'),
  })
  const servers = useQuery({
    queryKey: ['projects', who.project_id, 'found', typed],
    queryFn: () => findProjectServers(who.project_id ?? '', typed),
    enabled: isLong && !may('berth:fleet') && may('berth:project') && who.project_id !== null,
  })
  const wholeId = /^[0-9a-f-]{36}$/.test(typed) ? typed : null
  const decisions = useQuery({
    queryKey: ['decisions', 'found', wholeId],
    queryFn: () => findDecisions(wholeId ?? ''),
    enabled: wholeId !== null && may('berth:decisions'),
  })
  return {
    flavors: flavors.data ?? NONE,
    aggregates: aggregates.data ?? NONE,
    shares: shares.data ?? NONE,
    consumers: consumers.data ?? NONE,
    servers: servers.data ?? NONE,
    decisions: decisions.data ?? NONE,
  }
}

/** Everything that is called like the text, each kind with its part of the places. */
export function useFound(text: string): readonly Found[] {
  const { fleet } = usePicture()
  const { may, has } = useSession()
  const things = useThings(text)
  return useMemo(() => {
    const typed = text.trim()
    const onlyActions = typed.startsWith('>')
    const wanted = typed.replace(/^>\s*/, '').toLowerCase()
    const fits = (...names: string[]) => names.some(name => name.toLowerCase().includes(wanted))
    const actions = paletteActions
      .filter(action => fits(action.label, action.words) && isOffered(action, { has, may }))
      .map(({ to, act, label, icon }): Found => {
        return { to, label, icon, kind: 'action', ...(act === undefined ? {} : { act }) }
      })
    if (onlyActions) return actions
    const pages = allDestinations
      .filter(page => fits(page.label) && isOffered(page, { has, may }))
      .map(({ to, label, icon }): Found => {
        return { to, label: to === '/' && !may('berth:fleet') ? 'Home' : label, icon, kind: 'page' }
      })
    if (wanted === '') return [...pages, ...actions]
    const found = sharePlaces(
      [
        may('berth:explain:hosts') || may('berth:explain:boot:own') ? requestOf(typed) : [],
        pages,
        things.flavors
          .filter(({ id, name }) => fits(name, id))
          .flatMap(one => foundFlavor(one, may('berth:explain:hosts'))),
        things.aggregates
          .filter(one => fits(one.name, one.uuid, findRackTitle(one) ?? ''))
          .flatMap(one => foundAggregate(one, may('berth:simulate'))),
        things.shares
          .filter(({ id, name }) => fits(name ?? '', id))
          .map(({ id, name }): Found => {
            return { to: `/shares/${id}`, label: name || id, kind: 'share', icon: 'share' }
          }),
        things.consumers.map(({ uuid, name, type, hosts }): Found => {
          const kind = `${(type ?? 'consumer').toLowerCase()} on ${hosts.join(', ') || 'no host'}`
          return { to: `/servers/${uuid}`, label: name ?? uuid, kind, icon: 'flavor' }
        }),
        things.servers.map(({ uuid, name }): Found => {
          return { to: `/servers/${uuid}`, label: name ?? uuid, kind: 'server', icon: 'flavor' }
        }),
        things.decisions.map(foundDecision),
        providersOf(fleet, true, fits),
        actions,
        traitsOf(fleet, wanted),
        providersOf(fleet, false, fits),
      ],
      SHOWN_MAX,
    )
    return may('berth:decisions') && wanted.length > 2 ? [...found, searchDecisions(typed)] : found
  }, [text, fleet, ...Object.values(things), has, may])
}

/** A request of Nova leads to all of its stages. */
const requestOf = (typed: string): Found[] =>
  /^req-[0-9a-f-]{4,36}$/.test(typed)
    ? [{ to: `/boots/${typed}`, label: typed, kind: 'request', icon: 'question' }]
    : []

const searchDecisions = (typed: string): Found => ({
  to: `/decisions?q=${encodeURIComponent(typed)}`,
  label: `Decisions with “${typed}”`,
  kind: 'search',
  icon: 'search',
})

function foundDecision({ id, at, outcome, asked }: ListedDecision): Found {
  const label = `${outcome} ${asked.flavor ?? ''} ${momentText(at)}`
  return { to: `/decisions/${id}`, label, kind: 'decision', icon: 'question' }
}

function foundFlavor(
  { id, name }: { readonly id: string; readonly name: string },
  mayExplain: boolean,
): Found[] {
  const page = {
    to: `/flavors/${encodeURIComponent(id)}`,
    label: name,
    kind: 'flavor',
    icon: 'flavor',
  } as const
  const where: Found = {
    to: `/why?flavor=${encodeURIComponent(name)}`,
    label: `Where does ${name} fit, and why not elsewhere`,
    kind: 'action',
    icon: 'funnel',
  }
  return mayExplain ? [page, where] : [page]
}

function foundAggregate(aggregate: HostAggregate, maySimulate: boolean): Found[] {
  const { id, name } = aggregate
  const rack = maySimulate ? findRackTitle(aggregate) : null
  return [
    { to: `/aggregates/${id}`, label: name, kind: 'aggregate', icon: 'group' },
    ...(rack === null
      ? []
      : [
          {
            to: `/hosts/change?${new URLSearchParams({ do: 'take-down', rack })}`,
            label: `Can ${rack} be taken down?`,
            kind: 'action',
            icon: 'branch',
          } satisfies Found,
        ]),
  ]
}

const traitsOf = (fleet: Fleet, wanted: string): Found[] =>
  wanted.length < 3
    ? []
    : fleet
        .traitsLike(wanted)
        .slice(0, SHOWN_MAX)
        .map((trait): Found => {
          return { to: `/providers?q=${trait}&kind=all`, label: trait, kind: 'trait', icon: 'tree' }
        })

/** There are fewer roots, and hosts are roots, than providers inside of them. */
function providersOf(fleet: Fleet, isRoot: boolean, fits: (...names: string[]) => boolean): Found[] {
  return fleet.providers
    .values()
    .filter(({ name, uuid, parent }) => (parent === null) === isRoot && fits(name, uuid))
    .take(SHOWN_MAX)
    .map(({ uuid, name }): Found => {
      const kind = isRoot ? 'root provider' : 'provider'
      return { to: `/providers/${uuid}`, label: name, kind, icon: 'tree' }
    })
    .toArray()
}
