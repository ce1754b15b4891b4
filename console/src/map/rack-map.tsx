import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import { plural } from '../formats.ts'
import { type Chosen, checkbox } from './choice.ts'
import styles from './rack-map.module.css'
import { BY_SEVERITY, type CellSize, cellSizeOf, isSameLook, type Rack, type RackSection } from './racks.ts'
import { type Mark, markWords } from './tiles.ts'
import { useStages } from './use-stages.ts'

/** More are not drawn: nobody looks at so many, and each takes time in every frame. */
const RACKS_MAX = 2_000

const LEAST_HEIGHT_PX = 320

/**
 * All racks on one screen, the worst first in each section. Arrow keys move from cell to cell; Enter or a click shows the
 * hosts of the rack.
 */
export default memo(function RackMap({
  sections,
  name,
  hrefOf,
  chosenOf,
}: {
  readonly sections: readonly RackSection[]
  /** The resource class. */
  readonly name: string
  /** The address of a rack by its name. */
  readonly hrefOf: (rack: string) => string
  /** Which part of a rack is chosen; null: nothing is chosen now. */
  readonly chosenOf: ((rack: Rack) => Chosen) | null
}) {
  const frame = useRef<HTMLDivElement>(null)
  const space = useSpace(frame)
  const held = useRef(false)
  const shown = useHeldOrder(sections, held)
  const size = useMemo(
    () =>
      cellSizeOf(
        shown.map(({ racks }) => racks.length),
        space,
      ),
    [shown, space],
  )
  const count = sections.reduce((sum, { racks }) => sum + racks.length, 0)
  const cellsOf = useStages(shown, name, RACKS_MAX)
  return (
    <div
      ref={frame}
      className={styles.map}
      style={cellStyle(size)}
      onMouseEnter={() => {
        held.current = true
      }}
      onMouseLeave={() => {
        held.current = frame.current?.contains(document.activeElement) === true
      }}
      onFocus={() => {
        held.current = true
      }}
      onBlur={() => {
        held.current = false
      }}
      onKeyDown={moveFocus}
    >
      {shown.map((section, at) => {
        const cells = cellsOf(at)
        return cells.length === 0 ? null : (
          <section key={section.name} className={styles.section} aria-label={section.name}>
            <h2>
              {section.name} <span className={styles.sectionText}>{sectionText(section)}</span>
            </h2>
            <ul className={styles.racks}>
              {cells.map(({ rack, name }, index) => (
                // By place: a rack that changes its place moves no element, which would be laid out again.
                <RackCell
                  key={index}
                  rack={rack}
                  name={name}
                  hasText={size.hasText}
                  href={hrefOf(rack.group.name)}
                  isFirst={at === 0 && index === 0}
                  chosen={chosenOf?.(rack) ?? null}
                />
              ))}
            </ul>
          </section>
        )
      })}
      {count > RACKS_MAX && (
        <p className={styles.rest}>
          The worst {plural(RACKS_MAX, 'rack')} of {plural(count, 'rack')}. A filter, a mark or the table
          shows the others.
        </p>
      )}
    </div>
  )
})

const sectionText = ({ racks }: RackSection): string => {
  const hosts = racks.reduce((sum, { group }) => sum + group.tiles.length, 0)
  return `${plural(racks.length, 'rack')}, ${plural(hosts, 'host')}`
}

const RackCell = memo(
  function RackCell({
    rack,
    name,
    hasText,
    href,
    isFirst,
    chosen,
  }: {
    readonly rack: Rack
    readonly name: string
    readonly hasText: boolean
    readonly href: string
    readonly isFirst: boolean
    readonly chosen: Chosen | null
  }) {
    const { words, mix } = lookOf(rack, name)
    // A link of the router would listen to every change of the address, and there are hundreds of cells.
    return (
      <li>
        <a
          href={href}
          className={styles.rack ?? ''}
          data-rack={rack.group.name}
          data-worst={rack.worst}
          {...(chosen === null ? {} : checkbox(chosen))}
          tabIndex={isFirst ? 0 : -1}
          aria-label={words}
          title={words}
        >
          {hasText && (
            <>
              <b>{rack.group.name}</b> <span>{rack.percent === null ? '–' : `${rack.percent}%`}</span>
            </>
          )}
          <i style={{ background: mix }} />
        </a>
      </li>
    )
  },
  (before, after) =>
    before.name === after.name &&
    before.hasText === after.hasText &&
    before.href === after.href &&
    before.isFirst === after.isFirst &&
    before.chosen === after.chosen &&
    (before.rack === after.rack || isSameLook(before.rack, after.rack)),
)

interface Look {
  readonly name: string
  readonly words: string
  readonly mix: string
}

const looks = new WeakMap<Rack, Look>()

/** Made once for each rack and class. */
function lookOf(rack: Rack, name: string): Look {
  const known = looks.get(rack)
  if (known?.name === name) return known
  const look = { name, words: wordsOf(rack, name), mix: mixOf(rack) }
  looks.set(rack, look)
  return look
}

const FILLS: Readonly<Record<Mark, string>> = {
  over: 'var(--use-hot)',
  down: 'var(--line-strong)',
  hot: 'var(--use-hot)',
  warm: 'var(--use-warm)',
  disabled: 'var(--reserved)',
  low: 'var(--use)',
  none: 'var(--empty)',
}

/** Each mark as wide as its part of the hosts, the worst on the left. */
function mixOf({ group, counts }: Rack): string {
  let part = 0
  const stops = BY_SEVERITY.flatMap(mark => {
    const count = counts.get(mark) ?? 0
    if (count === 0) return []
    const from = part
    part += (count / group.tiles.length) * 100
    return [`${FILLS[mark]} ${from.toFixed(1)}% ${part.toFixed(1)}%`]
  })
  return `linear-gradient(90deg, ${stops.join(', ')})`
}

/** The cell in words, for screen readers and as its tooltip. */
function wordsOf({ group, counts, percent }: Rack, name: string): string {
  const marks = BY_SEVERITY.filter(mark => mark !== 'low' && counts.has(mark)).map(
    mark => `${counts.get(mark)} ${markWords[mark]}`,
  )
  // What is written in the cell comes first.
  const used = percent === null ? `– no ${name}` : `${percent}% of ${name}`
  return [`${group.name} ${used}`, plural(group.tiles.length, 'host'), ...marks].join(', ')
}

const cellStyle = ({ width, height }: CellSize) =>
  ({ '--cell-width': `${width}px`, '--cell-height': `${height}px` }) as CSSProperties

/** What the screen leaves below the top of the map. */
function useSpace(frame: RefObject<HTMLDivElement | null>) {
  const [space, setSpace] = useState({ width: 1_000, height: 500 })
  useLayoutEffect(() => {
    const element = frame.current as HTMLDivElement
    const measure = () => {
      const { top, width } = element.getBoundingClientRect()
      const above = top + window.scrollY
      const height = Math.max(LEAST_HEIGHT_PX, window.innerHeight - above - 24)
      setSpace(last =>
        last.width === width && Math.abs(last.height - height) < 8 ? last : { width, height },
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [frame])
  return space
}

/** While the pointer or the focus is in the map, cells keep their places: nothing moves away under a hand. */
function useHeldOrder(sections: readonly RackSection[], held: RefObject<boolean>): readonly RackSection[] {
  const last = useRef(new Map<string, number>())
  return useMemo(() => {
    const places = last.current
    const placeOf = (section: string, { group }: Rack) =>
      places.get(`${section}/${group.name}`) ?? Number.POSITIVE_INFINITY
    const shown = held.current
      ? sections.map(({ name, racks }) => ({
          name,
          racks: racks.toSorted((one, other) => {
            const [a, b] = [placeOf(name, one), placeOf(name, other)]
            return a === b ? 0 : a - b
          }),
        }))
      : sections
    last.current = new Map(
      shown.flatMap(({ name, racks }) =>
        racks.map(({ group }, at) => [`${name}/${group.name}`, at] as const),
      ),
    )
    return shown
  }, [sections, held])
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const cells = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-rack]')]
  const at = cells.indexOf(document.activeElement as HTMLElement)
  const current = cells[at]
  if (current === undefined) return
  const moves: Readonly<Record<string, () => HTMLElement | undefined>> = {
    ArrowRight: () => cells[at + 1],
    ArrowLeft: () => cells[at - 1],
    ArrowDown: () => inNextRow(cells.slice(at + 1), current, 1),
    ArrowUp: () => inNextRow(cells.slice(0, at).reverse(), current, -1),
    Home: () => cells[0],
    End: () => cells.at(-1),
  }
  const next = ownValue(moves, event.key)?.()
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** The cell of the next row that is nearest to this one; rows of sections may differ in length. */
function inNextRow(
  cells: readonly HTMLElement[],
  current: HTMLElement,
  direction: 1 | -1,
): HTMLElement | undefined {
  const from = current.getBoundingClientRect()
  let best: HTMLElement | undefined
  let rowTop: number | null = null
  let bestPx = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    const { top, left } = cell.getBoundingClientRect()
    if ((top - from.top) * direction < 2) continue
    rowTop ??= top
    if (Math.abs(top - rowTop) > 2) break
    const awayPx = Math.abs(left - from.left)
    if (awayPx < bestPx) [best, bestPx] = [cell, awayPx]
  }
  return best
}
