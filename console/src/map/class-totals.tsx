import { UsageBar } from '../controls/usage-bar.tsx'
import { shareOf } from '../fleet/fleet.ts'
import { className, ofClass, percent, ratio } from '../formats.ts'
import styles from './capacity-map.module.css'
import type { ClassTotal } from './tiles.ts'

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
            <div className={styles.facts}>
              <span>
                {ofClass(name, figures.used)} of {ofClass(name, figures.capacity)}
              </span>
              <span>{ofClass(name, free)} free</span>
              <span title="How often each piece is promised">{ratio(figures)}</span>
              {figures.reserved > 0 && <span>{ofClass(name, figures.reserved)} reserved</span>}
            </div>
          </button>
        )
      })}
    </div>
  )
}
