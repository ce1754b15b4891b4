import { lazy, type MouseEvent, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { CHANGED_HOSTS_MAX } from '../../../src/kernel/number-bounds.ts'
import { domainOf } from '../controls/host-name.ts'
import { Loading } from '../controls/page.tsx'
import { amount } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { changeUrl } from '../url-state.ts'
import styles from './capacity-map.module.css'
import { type Choice, chosenPart } from './choice.ts'
import { Boards, Chooser } from './chooser.tsx'
import type { Hover } from './hover-card.tsx'
import type { Mode } from './map-tools.tsx'
import { type Rack, sectionsOf } from './racks.ts'
import { TileGroup } from './tile-group.tsx'
import { type Group, type Grouping, groupNames, type Surroundings, type Tile } from './tiles.ts'
import { isUnit, type MapView } from './use-groups.ts'

// What the first page shows to few is loaded when it is shown.
const ChoiceBar = lazy(() => import('./choice-bar.tsx'))
const DenseGroup = lazy(() => import('./dense-group.tsx'))
const HostTable = lazy(() => import('./host-table.tsx'))
const RackMap = lazy(() => import('./rack-map.tsx'))
const WorstList = lazy(() => import('./worst-list.tsx'))

interface BodyProps {
  readonly mode: Mode
  readonly groups: readonly Group[]
  /** The resource class. */
  readonly name: string
  readonly around: Surroundings
  readonly view: MapView
  /** What the groups are. */
  readonly by: Grouping
  readonly hover: Hover
  readonly choice: Choice
  readonly zoom: number
  readonly onZoom: (by: number) => void
}

/** The hosts, as the mode shows them; all of them can be chosen for a change, but in the table. */
export function MapBody(props: BodyProps) {
  return (
    <Suspense fallback={<Loading what="the hosts" />}>
      <Body {...props} />
    </Suspense>
  )
}

function Body(props: BodyProps) {
  const { mode, groups, name } = props
  const [boards] = useState(() => new Boards())
  const [note, setNote] = useState('')
  const hostsOf = useCallback(
    (rack: string) => (groups.find(group => group.name === rack)?.tiles ?? []).flatMap(nameOfHost),
    [groups],
  )
  const choice = useMemo(() => {
    const tell = (isDone: boolean) => {
      setNote(isDone ? '' : `At most ${amount(CHANGED_HOSTS_MAX)}: these were not added.`)
      return isDone
    }
    const { toggle, add } = props.choice
    return {
      ...props.choice,
      toggle: (hosts: readonly string[]) => tell(toggle(hosts)),
      add: (hosts: readonly string[]) => tell(add(hosts)),
    }
  }, [props.choice])
  if (mode === 'table') return <HostTable groups={groups} name={name} />
  return (
    <>
      <Chooser
        isOn={choice.isOn}
        boards={boards}
        hostsOf={hostsOf}
        onToggle={choice.toggle}
        onAdd={choice.add}
      >
        {mode === 'racks' ? (
          <Racks {...props} />
        ) : mode === 'worst' ? (
          <Worst {...props} />
        ) : (
          <Groups {...props} choice={choice} boards={boards} />
        )}
      </Chooser>
      {choice.isOn && <Bar {...props} note={note} />}
    </>
  )
}

const nameOfHost = ({ name, isSharing }: Tile): string[] => (isSharing ? [] : [name])

/** Hosts are in several groups where they are in several aggregates. */
const distinctTiles = (groups: readonly Group[]): readonly Tile[] =>
  groups.length === 1 ? (groups[0] as Group).tiles : [...new Set(groups.flatMap(({ tiles }) => tiles))]

function Bar({ groups, choice, note }: BodyProps & { readonly note: string }) {
  const shown = useMemo(() => distinctTiles(groups), [groups])
  return <ChoiceBar choice={choice} shown={shown} note={note} />
}

function Worst({ groups, name, choice }: BodyProps) {
  const tiles = useMemo(() => distinctTiles(groups), [groups])
  const domain = useMemo(() => domainOf(tiles.map(tile => tile.name)), [tiles])
  return <WorstList tiles={tiles} name={name} domain={domain} chosen={choice.isOn ? choice.names : null} />
}

function Racks(props: BodyProps) {
  const { around, view, choice } = props
  // Hundreds of cells may take longer than a frame: what was pressed answers first.
  const groups = useDeferredValue(props.groups)
  const name = useDeferredValue(props.name)
  const isByZone = view.grouping === 'zone'
  const sections = useMemo(() => {
    const zoneOf = groupNames('zone', around)
    const all = view.grouping === 'aggregate' ? 'All aggregates' : 'All racks'
    return sectionsOf(groups, tile => (isByZone ? (zoneOf(tile)[0] as string) : all))
  }, [groups, around, isByZone, view.grouping])
  // The choice stays where it is when the map is zoomed; in links it would make every cell another one with each click.
  const search = useDeferredValue(addressWithout(['as', 'hosts', 'in', 'rack']))
  const hrefOf = useCallback(
    (rack: string) => `/?${search === '' ? '' : `${search}&`}rack=${encodeURIComponent(rack)}`,
    [search],
  )
  const chosenOf = useMemo(
    () => (choice.isOn ? (rack: Rack) => chosenPart(rack, choice.names) : null),
    [choice],
  )
  return (
    <div onClickCapture={choice.isOn ? undefined : zoomIn}>
      <RackMap sections={sections} name={name} hrefOf={hrefOf} chosenOf={chosenOf} />
    </div>
  )
}

function addressWithout(names: readonly string[]): string {
  const params = new URLSearchParams(location.search)
  for (const name of names) params.delete(name)
  return params.toString()
}

/** Keeps the whole address, and a way back. */
function zoomIn(event: MouseEvent<HTMLElement>): void {
  const { rack } = (event.target as Element).closest<HTMLElement>('[data-rack]')?.dataset ?? {}
  if (rack === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  changeUrl({ rack, as: null, in: null }, { push: true })
}

function Groups({
  mode,
  groups,
  name,
  view,
  by,
  hover,
  choice,
  zoom,
  onZoom,
  boards,
}: BodyProps & { readonly boards: Boards }) {
  const { may } = useSession()
  const isAsked = by === 'rack' && view.rack === null && may('berth:simulate')
  const domain = useMemo(
    () => (mode === 'tiles' ? domainOf(groups.flatMap(group => group.tiles.map(tile => tile.name))) : ''),
    [groups, mode],
  )
  return (
    <div className={styles.groups} data-mode={mode}>
      {groups.map(group => {
        const parts = {
          group,
          name,
          hover,
          choice,
          onChoose: () => changeUrl({ in: isIn(group.name) ? null : group.name }),
          takeDown: isAsked && isUnit(group.name) ? takeDownOf(group.name) : null,
        }
        return mode === 'dense' ? (
          <DenseGroup key={group.name} {...parts} boards={boards} zoom={zoom} onZoom={onZoom} />
        ) : (
          <TileGroup key={group.name} {...parts} domain={domain} />
        )
      })}
    </div>
  )
}

const takeDownOf = (rack: string): string => `/hosts/change?${new URLSearchParams({ do: 'take-down', rack })}`

const isIn = (group: string): boolean => new URLSearchParams(location.search).get('in') === group
