import { type Figures, shareOf } from '../fleet/fleet.ts'
import { ofClass, percent } from '../formats.ts'
import styles from './page.module.css'

export type Level = 'low' | 'warm' | 'hot'

const WARM = 0.8
const HOT = 0.95

export const levelOf = (share: number): Level => (share >= HOT ? 'hot' : share >= WARM ? 'warm' : 'low')

/** In words, because not everyone sees the colour. */
export const levelWord = (share: number): string =>
  share > 1 ? 'over capacity' : share >= HOT ? 'full' : share >= WARM ? 'nearly full' : 'has room'

/** Used, then reserved, then free. */
export function UsageBar({ name, figures }: { readonly name: string; readonly figures: Figures }) {
  const { used, reserved, total, capacity } = figures
  const share = shareOf(figures)
  // Reserved amounts are never allocated, so they are measured in the total, without the ratio.
  const reservedShare = total > 0 ? Math.min(reserved / total, 1) : 0
  const text = `${name}: ${ofClass(name, used)} of ${ofClass(name, capacity)} used, ${percent(share)}, ${levelWord(share)}`
  return (
    <div className={styles.bar} role="img" aria-label={text} title={text}>
      <i
        data-level={levelOf(share)}
        style={{ width: `${Math.min(share, 1) * (1 - reservedShare) * 100}%` }}
      />
      <i style={{ width: `${Math.max(0, 1 - share) * (1 - reservedShare) * 100}%`, background: 'none' }} />
      {reservedShare > 0 && <i data-level="reserved" style={{ width: `${reservedShare * 100}%` }} />}
    </div>
  )
}
