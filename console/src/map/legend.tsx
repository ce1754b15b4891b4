import { amount } from '../formats.ts'
import styles from './capacity-map.module.css'
import { type Mark, markWords } from './tiles.ts'

const ORDER: readonly Mark[] = ['low', 'warm', 'hot', 'over', 'disabled', 'down', 'none']

export const MARK_FILLS: Readonly<Record<Mark, string>> = {
  low: 'var(--use)',
  warm: 'var(--use-warm)',
  hot: 'var(--use-hot)',
  over: 'repeating-linear-gradient(45deg, var(--use-hot) 0 3px, var(--text) 3px 5px)',
  disabled: 'repeating-linear-gradient(135deg, var(--hatch) 0 2px, var(--empty) 2px 5px)',
  down: 'var(--line-strong)',
  none: 'var(--empty)',
}

/** What the marks mean, how many hosts have each, and a filter by them. */
export function Legend({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: ReadonlyMap<Mark, number>
  readonly chosen: Mark | null
  readonly onChoose: (mark: Mark | null) => void
}) {
  return (
    <div className={styles.legend} role="group" aria-label="Marks">
      {ORDER.filter(mark => counts.has(mark) || mark === chosen).map(mark => (
        <button
          key={mark}
          type="button"
          className={styles.key}
          aria-pressed={mark === chosen}
          onClick={() => onChoose(mark === chosen ? null : mark)}
        >
          <span className={styles.swatch} style={{ background: MARK_FILLS[mark] }} />
          {markWords[mark]} <span className="soft number">{amount(counts.get(mark) ?? 0)}</span>
        </button>
      ))}
    </div>
  )
}
