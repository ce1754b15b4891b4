import { useQuery } from '@tanstack/react-query'
import { readHistory } from '../api/usage.ts'
import { UsageBar } from '../controls/usage-bar.tsx'
import { shareOf } from '../fleet/fleet.ts'
import { className, ofClass, percent, ratio } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import type { Values } from '../usage/chart-path.ts'
import { Sparkline } from '../usage/sparkline.tsx'
import styles from './capacity-map.module.css'
import type { ClassTotal } from './tiles.ts'

const NOTHING: Values = []
const POINTS = 48
const AGAIN_MS = 60_000

/** The course of each class within a day. Null: not for this user. */
function useCourses(): ReadonlyMap<string, Values> | null {
  const { may } = useSession()
  const { data } = useQuery({
    queryKey: ['history', 'courses'],
    queryFn: () => readHistory({}, 'day', POINTS),
    enabled: may('berth:history'),
    refetchInterval: AGAIN_MS,
  })
  if (!may('berth:history')) return null
  return new Map(
    (data?.series ?? []).flatMap(({ resource_class, used }) =>
      resource_class === null ? [] : [[resource_class, used]],
    ),
  )
}

/** Each class with its total; the selected one colours the map. */
export function ClassTotals({
  totals,
  chosen,
  onChoose,
}: {
  readonly totals: readonly ClassTotal[]
  readonly chosen: string
  readonly onChoose: (name: string) => void
}) {
  const courses = useCourses()
  return (
    <div className={styles.totals} role="group" aria-label="Resource classes">
      {totals.map(({ name, figures }) => {
        const free = figures.capacity - figures.used
        return (
          <button
            key={name}
            type="button"
            className={styles.total}
            aria-pressed={name === chosen}
            onClick={() => onChoose(name)}
          >
            <div className={styles.totalHead}>
              <b title={name}>{className(name)}</b>
              <span>{percent(shareOf(figures))}</span>
            </div>
            <UsageBar name={name} figures={figures} />
            {courses !== null && <Sparkline values={courses.get(name) ?? NOTHING} />}
            <div className={styles.facts}>
              <span>
                {ofClass(name, figures.used)} of {ofClass(name, figures.capacity)}
              </span>
              <span>{ofClass(name, free)} free</span>
              <span title="How often each piece is promised">{ratio(figures)}</span>
              <Course name={name} values={courses?.get(name) ?? NOTHING} />
              {figures.reserved > 0 && <span>{ofClass(name, figures.reserved)} reserved</span>}
            </div>
          </button>
        )
      })}
    </div>
  )
}

/** What the small chart shows, in words. */
function Course({ name, values }: { readonly name: string; readonly values: Values }) {
  const known = values.filter(value => value !== null)
  const by = (known.at(-1) ?? 0) - (known[0] ?? 0)
  if (known.length < 2 || Math.abs(by) < 0.5) return null
  return (
    <span title="Since a day ago, or since it was first recorded">
      {by > 0 ? '+' : '−'}
      {ofClass(name, Math.round(Math.abs(by)))} in a day
    </span>
  )
}
