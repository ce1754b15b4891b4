import { Link } from 'wouter'
import { UsageBar } from '../controls/usage-bar.tsx'
import { shareOf } from '../fleet/fleet.ts'
import { percent, plural } from '../formats.ts'
import styles from './capacity-map.module.css'
import { type Group, SHARED } from './tiles.ts'

export function GroupHead({
  group,
  name,
  onChoose,
  takeDown,
}: {
  readonly group: Group
  readonly name: string
  readonly onChoose: () => void
  /** An address; null: none. */
  readonly takeDown: string | null
}) {
  return (
    <div className={styles.groupHead}>
      <button type="button" onClick={onChoose}>
        {group.name}
      </button>
      <span>{plural(group.tiles.length, group.name === SHARED ? 'provider' : 'host')}</span>
      {group.figures === null ? <span /> : <UsageBar name={name} figures={group.figures} />}
      <span>{group.figures === null ? 'has none' : percent(shareOf(group.figures))}</span>
      {takeDown !== null && (
        <Link href={takeDown} aria-label={`Can ${group.name} be taken down?`}>
          Take down?
        </Link>
      )}
    </div>
  )
}
