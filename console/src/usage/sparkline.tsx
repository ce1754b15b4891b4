import { linePath, topOf, type Values } from './chart-path.ts'
import styles from './usage.module.css'

const WIDTH = 120
const HEIGHT = 20

/** The course of a usage, between its lowest and its highest value. What it shows is said in words beside it. */
export function Sparkline({ values }: { readonly values: Values }) {
  const known = values.filter(value => value !== null)
  // A usage that hardly changes is a line in the middle, not a mountain range.
  const low = Math.min(...known)
  const range = Math.max(topOf(values) - low, 0.04 * topOf(values))
  const base = low - (range - (topOf(values) - low)) / 2
  const shifted = values.map(value => (value === null ? null : value - base))
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {known.length > 0 && <path d={linePath(shifted, range, WIDTH, HEIGHT)} />}
    </svg>
  )
}
