import { useQuery } from '@tanstack/react-query'
import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Link } from 'wouter'
import { readHosts } from '../api/berth.ts'
import { readAggregates } from '../api/compute.ts'
import { Attention } from '../attention/attention.tsx'
import { berthCommands } from '../berth-commands.ts'
import { Empty, Loading, Page, Panel } from '../controls/page.tsx'
import { shareOf } from '../fleet/fleet.ts'
import { amount, plural } from '../formats.ts'
import { useLastChange } from '../hosts/last-change.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './capacity-map.module.css'
import { useChoice } from './choice.ts'
import { ClassTotals } from './class-totals.tsx'
import { zoomRange } from './dense-paint.ts'
import { Hover, HoverCard } from './hover-card.tsx'
import { Legend } from './legend.tsx'
import { MapBody } from './map-body.tsx'
import { MapTools, type Mode } from './map-tools.tsx'
import { type ClassTotal, countMarks, type Surroundings, type Tile, totalsOf } from './tiles.ts'
import { hasUnits, isUnit, type MapView, unitOf, useGroups, viewOf } from './use-groups.ts'
import { useIsNarrow } from './use-is-narrow.ts'

// For few, and rarely.
const UndoNote = lazy(() => import('../hosts/undo-note.tsx'))

/** More hosts than this are not drawn as tiles by default. */
const TILES_MAX = 400

export function CapacityMap() {
  const { phase } = usePicture()
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
  return <Capacity around={around} />
}

interface BodyProps {
  readonly around: Surroundings
  readonly onCount: (hosts: number) => void
}

/** What is wrong is told before the fleet is there, and also if there is none. */
function Capacity({ around }: Pick<BodyProps, 'around'>) {
  const [count, setCount] = useState<number | null>(null)
  const last = useLastChange()
  return (
    <Page title="Capacity" {...(count === null ? {} : { text: <MapSummary count={count} /> })}>
      <Suspense>{last !== null && <UndoNote last={last} />}</Suspense>
      <Attention />
      <Body around={around} onCount={setCount} />
    </Page>
  )
}

function Body(props: BodyProps) {
  const { phase, fleet, received } = usePicture()
  if (fleet.providers.size === 0)
    return (
      <Panel>
        {phase === 'live' ? (
          <NoHosts />
        ) : (
          <Loading what={`the fleet, ${plural(received, 'provider')} so far`} />
        )}
      </Panel>
    )
  // Groups must not change a moment after the first paint.
  if (props.around.isLoading === true)
    return (
      <Panel>
        <Loading what="hosts and aggregates" />
      </Panel>
    )
  return <HostMap {...props} />
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

function HostMap({ around, onCount }: BodyProps) {
  const picture = usePicture()
  const { fleet } = picture
  const [params, change] = useUrlState()
  const totals = useMemo(() => totalsOf(fleet), [picture])
  const chosen = params.get('class') ?? tightest(totals)
  const view = viewOf(params)
  const isNarrow = useIsNarrow()
  const { mode, hasRacks } = useMode(params, view, around, isNarrow)
  const by = mode === 'racks' || view.rack !== null ? unitOf(view) : view.grouping
  const { tiles, groups } = useGroups(picture, chosen, around, view, by)
  const counts = countMarks(tiles)
  useCount(tiles, onCount)
  const [hover] = useState(() => new Hover())
  const choice = useChoice()
  const largest = Math.max(1, ...groups.map(group => group.tiles.length))
  const onZoom = useZoom(largest, change)
  return (
    <>
      <ClassTotals totals={totals} chosen={chosen} onChoose={name => change({ class: name })} />
      <ToolBox isNarrow={isNarrow}>
        <MapTools
          mode={mode}
          hasRacks={hasRacks}
          grouping={view.grouping}
          wanted={params.get('q') ?? ''}
          within={view.rack === null ? view.within : null}
          isChoosing={choice.isOn}
          change={change}
          onZoom={onZoom}
          onChoosing={choice.setOn}
        />
        <Legend counts={counts} chosen={view.mark} onChoose={next => change({ mark: next })} />
      </ToolBox>
      {view.rack !== null && (
        <ZoomBar rack={view.rack} count={groups[0]?.tiles.length ?? 0} by={unitOf(view)} />
      )}
      {groups.length === 0 ? (
        <Panel>
          <Empty title="No host is like this">Fewer filters show more: take the name or the mark away.</Empty>
        </Panel>
      ) : (
        <MapBody
          mode={mode}
          groups={groups}
          name={chosen}
          around={around}
          view={view}
          by={by}
          hover={hover}
          choice={choice}
          zoom={zoomNow(params)}
          onZoom={onZoom}
        />
      )}
      <HoverCard hover={hover} fleet={fleet} around={around} />
    </>
  )
}

/** Tells the heading, which is there before the map. */
function useCount(tiles: readonly Tile[], onCount: (hosts: number) => void): void {
  const count = useMemo(() => tiles.filter(tile => !tile.isSharing).length, [tiles])
  useLayoutEffect(() => onCount(count), [count, onCount])
}

/** On a phone the tools wait behind a line: hosts come first. */
function ToolBox({ isNarrow, children }: { readonly isNarrow: boolean; readonly children: ReactNode }) {
  if (!isNarrow) return <div className={styles.tools}>{children}</div>
  return (
    <details className={styles.toolBox}>
      <summary>Filter, group, choose</summary>
      <div className={styles.tools}>{children}</div>
    </details>
  )
}

/** What suits the number of hosts and the window, unless the address says how. */
function useMode(params: URLSearchParams, view: MapView, around: Surroundings, isNarrow: boolean) {
  const unit = unitOf(view)
  const hasRacks = useMemo(() => hasUnits(around, unit), [around, unit])
  const asked = params.get('as') as Mode | null
  const isFew = view.rack !== null || around.hosts.size <= TILES_MAX
  const suited = isNarrow ? 'worst' : isFew ? 'tiles' : hasRacks && view.within === null ? 'racks' : 'dense'
  const isPossible = asked !== null && (asked !== 'racks' || (hasRacks && view.rack === null))
  return { mode: isPossible ? asked : suited, hasRacks } as const
}

const zoomNow = (params: URLSearchParams): number => Number(params.get('zoom') ?? 0) || 0

function useZoom(largest: number, change: ReturnType<typeof useUrlState>[1]) {
  return useCallback(
    (by: number) => {
      const [least, most] = zoomRange(largest)
      const next = Math.max(least, Math.min(most, zoomNow(new URLSearchParams(location.search)) + by))
      change({ zoom: next === 0 ? null : String(next) })
    },
    [change, largest],
  )
}

/** The rack into which the map is zoomed, the way back, and the question that one has about a rack. */
function ZoomBar({
  rack,
  count,
  by,
}: {
  readonly rack: string
  readonly count: number
  readonly by: string
}) {
  const { may } = useSession()
  const [, change] = useUrlState()
  const heading = useRef<HTMLHeadingElement>(null)
  // The cell that was pressed is gone.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus()
  }, [rack])
  return (
    <div className={styles.zoom}>
      <button type="button" className={styles.key} onClick={() => change({ rack: null }, { push: true })}>
        ← All {by === 'rack' ? 'racks' : 'aggregates'}
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {rack}
      </h2>
      <span className="soft">{plural(count, 'host')}</span>
      {may('berth:simulate') && isUnit(rack) && (
        <Link href={`/hosts/change?${new URLSearchParams({ do: 'take-down', [by]: rack })}`}>
          Can it be taken down?
        </Link>
      )}
      {may('berth:hosts') && isUnit(rack) && (
        <Link href={`/hosts/change?${new URLSearchParams({ do: 'disable', [by]: rack })}`}>
          Change its hosts …
        </Link>
      )}
    </div>
  )
}

function MapSummary({ count }: { readonly count: number }): ReactNode {
  return (
    <>
      {amount(count)} {count === 1 ? 'host' : 'hosts'}. Choose a class to colour by; click a group or a mark
      to see only that.
    </>
  )
}

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
