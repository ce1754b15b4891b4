import { ActionIcon, SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo, useCallback, useMemo, useRef, useState } from 'react'
import { readHosts } from '../api/berth.ts'
import { readAggregates } from '../api/compute.ts'
import { Attention } from '../attention/attention.tsx'
import { berthCommands } from '../berth-commands.ts'
import { domainOf } from '../controls/host-name.ts'
import { Icon } from '../controls/icons.tsx'
import { Empty, Loading, Page, Panel } from '../controls/page.tsx'
import { shareOf } from '../fleet/fleet.ts'
import type { Picture } from '../fleet/live.ts'
import { amount, plural } from '../formats.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './capacity-map.module.css'
import { ClassTotals } from './class-totals.tsx'
import { DenseGroup } from './dense-group.tsx'
import { zoomRange } from './dense-paint.ts'
import { HostTable } from './host-table.tsx'
import { Hover, HoverCard } from './hover-card.tsx'
import { Legend } from './legend.tsx'
import { TileGroup } from './tile-group.tsx'
import {
  type ClassTotal,
  countMarks,
  type Group,
  type Grouping,
  groupNames,
  groupTiles,
  type Mark,
  type Surroundings,
  type Tile,
  type TileSet,
  tilesOf,
  totalsOf,
} from './tiles.ts'

/** More hosts than this are drawn small by default. */
const TILES_MAX = 400

type Mode = 'tiles' | 'dense' | 'table'

export function CapacityMap() {
  const { phase, fleet, received } = usePicture()
  const { whyNot } = useSession()
  const around = useSurroundings()
  if (phase === 'refused')
    return (
      <Page title="Capacity">
        <Panel>
          <Empty title="You may not see the map">
            {whyNot('berth:fleet') ?? 'The server does not say why.'} An admin sees every host here. You can
            browse flavors and the catalog, and ask for the usage of your own project.
          </Empty>
        </Panel>
      </Page>
    )
  if (fleet.providers.size === 0)
    return (
      <Page title="Capacity">
        <Panel>
          {phase === 'live' ? (
            <NoHosts />
          ) : (
            <Loading what={`the fleet, ${plural(received, 'provider')} so far`} />
          )}
        </Panel>
      </Page>
    )
  // Groups must not change a moment after the first paint.
  if (around.isLoading === true)
    return (
      <Page title="Capacity">
        <Panel>
          <Loading what="hosts and aggregates" />
        </Panel>
      </Page>
    )
  return <HostMap around={around} />
}

function NoHosts() {
  return (
    <Empty title="No host yet" command={berthCommands.addHost()}>
      A host is a provider whose tree has processors. Nova registers its hosts by itself once it uses this
      server as its Placement; by hand it is one command. To look around first, start a server with{' '}
      <code>--demo</code>.
    </Empty>
  )
}

function HostMap({ around }: { readonly around: Surroundings }) {
  const picture = usePicture()
  const { fleet } = picture
  const [params, change] = useUrlState()
  const totals = useMemo(() => totalsOf(fleet), [picture])
  const chosen = params.get('class') ?? tightest(totals)
  const { tiles, groups } = useGroups(picture, chosen, around, params)
  const counts = useMemo(() => countMarks(tiles), [tiles])
  const hostCount = useMemo(() => tiles.filter(tile => !tile.isSharing).length, [tiles])
  const mark = params.get('mark') as Mark | null
  const within = params.get('in')
  const mode = (params.get('as') ?? (tiles.length > TILES_MAX ? 'dense' : 'tiles')) as Mode
  const domain = useMemo(
    () => (mode === 'tiles' ? domainOf(tiles.map(tile => tile.name)) : ''),
    [tiles, mode],
  )
  const [hover] = useState(() => new Hover())
  const zoom = zoomNow(params)
  const largest = Math.max(1, ...groups.map(group => group.tiles.length))
  const onZoom = useCallback(
    (by: number) => {
      const [least, most] = zoomRange(largest)
      const next = Math.max(least, Math.min(most, zoomNow(new URLSearchParams(location.search)) + by))
      change({ zoom: next === 0 ? null : String(next) })
    },
    [change, largest],
  )
  return (
    <Page title="Capacity" text={<MapSummary count={hostCount} />}>
      <Attention />
      <ClassTotals totals={totals} chosen={chosen} onChoose={name => change({ class: name })} />
      <div className={styles.tools}>
        <Tools
          mode={mode}
          grouping={(params.get('by') ?? 'zone') as Grouping}
          wanted={params.get('q') ?? ''}
          within={within}
          change={change}
          onZoom={onZoom}
        />
        <Legend counts={counts} chosen={mark} onChoose={next => change({ mark: next })} />
      </div>
      {mode === 'table' ? (
        <HostTable groups={groups} name={chosen} />
      ) : groups.length === 0 ? (
        <Panel>
          <Empty title="No host is like this">Fewer filters show more: take the name or the mark away.</Empty>
        </Panel>
      ) : (
        <div className={styles.groups} data-mode={mode}>
          {groups.map(group => {
            const parts = {
              group,
              name: chosen,
              hover,
              onChoose: () => change({ in: isIn(group.name) ? null : group.name }),
            }
            return mode === 'dense' ? (
              <DenseGroup key={group.name} {...parts} zoom={zoom} onZoom={onZoom} />
            ) : (
              <TileGroup key={group.name} {...parts} domain={domain} />
            )
          })}
        </div>
      )}
      <HoverCard hover={hover} fleet={fleet} around={around} />
    </Page>
  )
}

const zoomNow = (params: URLSearchParams): number => Number(params.get('zoom') ?? 0) || 0

const isIn = (group: string): boolean => new URLSearchParams(location.search).get('in') === group

/**
 * All tiles, and those that match the address in their groups. Keeps what did not change since a class was last
 * shown.
 */
function useGroups(picture: Picture, chosen: string, around: Surroundings, params: URLSearchParams) {
  const grouping = (params.get('by') ?? 'zone') as Grouping
  const wanted = (params.get('q') ?? '').toLowerCase()
  const mark = params.get('mark') as Mark | null
  const within = params.get('in')
  const [tilesByClass] = useState(() => new Map<string, TileSet>())
  const { tiles } = useMemo(() => {
    const now = tilesOf(picture.fleet, chosen, around, tilesByClass.get(chosen) ?? lastOf(tilesByClass))
    tilesByClass.delete(chosen)
    tilesByClass.set(chosen, now)
    return now
  }, [picture, chosen, around])
  const { namesOf, known } = useMemo(
    () => ({
      namesOf: groupNames(grouping, around),
      known: new WeakMap<readonly Tile[], readonly Group[]>(),
    }),
    [grouping, around, mark, wanted],
  )
  const last = useRef<readonly Group[]>([])
  const groups = useMemo(() => {
    const fits = (tile: Tile) => (mark === null || tile.mark === mark) && tile.lowerName.includes(wanted)
    const shown = mark === null && wanted === '' ? tiles : tiles.filter(fits)
    last.current = known.get(tiles) ?? groupTiles(shown, namesOf, last.current)
    known.set(tiles, last.current)
    return last.current.filter(group => within === null || group.name === within)
  }, [tiles, known, within])
  return { tiles, groups }
}

/** The list of roots is valid for any class. */
const lastOf = (known: ReadonlyMap<string, TileSet>): TileSet | null => [...known.values()].at(-1) ?? null

function MapSummary({ count }: { readonly count: number }) {
  return (
    <>
      {amount(count)} {count === 1 ? 'host' : 'hosts'}. Choose a class to colour by; click a group or a mark
      to see only that.
    </>
  )
}

const Tools = memo(function Tools({
  mode,
  grouping,
  wanted,
  within,
  change,
  onZoom,
}: {
  readonly mode: Mode
  readonly grouping: Grouping
  readonly wanted: string
  readonly within: string | null
  readonly change: (changes: Readonly<Record<string, string | null>>) => void
  readonly onZoom: (by: number) => void
}) {
  return (
    <>
      <TextInput
        aria-label="Filter hosts by name"
        placeholder="Filter by name"
        leftSection={<Icon name="search" size={13} />}
        w={136}
        value={wanted}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Group by"
        value={grouping}
        onChange={by => change({ by: by === 'zone' ? null : by, in: null })}
        data={[
          { value: 'zone', label: 'Zone' },
          { value: 'rack', label: 'Rack' },
          { value: 'aggregate', label: 'Aggregate' },
          { value: 'none', label: 'None' },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label="Show as"
        value={mode}
        onChange={as => change({ as })}
        data={[
          { value: 'tiles', label: 'Tiles' },
          { value: 'dense', label: 'Dense' },
          { value: 'table', label: 'Table' },
        ]}
      />
      {mode === 'dense' && (
        <ActionIcon.Group>
          <ActionIcon variant="default" size={28} aria-label="Smaller squares" onClick={() => onZoom(-1)}>
            −
          </ActionIcon>
          <ActionIcon variant="default" size={28} aria-label="Larger squares" onClick={() => onZoom(1)}>
            +
          </ActionIcon>
        </ActionIcon.Group>
      )}
      {within !== null && (
        <button type="button" className={styles.key} onClick={() => change({ in: null })}>
          Only {within} <Icon name="close" size={11} />
        </button>
      )}
    </>
  )
})

/** The state of hosts in compute; the map works without it. */
export function useSurroundings(): Surroundings {
  const { may, has } = useSession()
  const hosts = useQuery({ queryKey: ['hosts'], queryFn: readHosts, enabled: may('berth:hosts') })
  const aggregates = useQuery({
    queryKey: ['aggregates'],
    queryFn: readAggregates,
    enabled: has('compute') && may('os_compute_api:os-aggregates:index'),
  })
  const isLoading = hosts.isLoading || aggregates.isLoading
  return useMemo(
    () => ({
      isLoading,
      hosts: new Map((hosts.data ?? []).map(host => [host.uuid, host])),
      aggregates: aggregates.data ?? [],
    }),
    [hosts.data, aggregates.data, isLoading],
  )
}

/** Of the classes that every host has, the fullest. */
function tightest(totals: readonly ClassTotal[]): string {
  const common = totals.filter(({ name }) => ['VCPU', 'MEMORY_MB'].includes(name))
  const [first] = (common.length > 0 ? common : totals).toSorted(
    (one, other) => shareOf(other.figures) - shareOf(one.figures),
  )
  return first?.name ?? 'VCPU'
}
