import { Link } from 'wouter'
import { CHANGED_HOSTS_MAX } from '../../../src/kernel/number-bounds.ts'
import { ActButton } from '../controls/act-button.tsx'
import { amount, plural } from '../formats.ts'
import { packHosts } from '../hosts/host-list-text.ts'
import { useSession } from '../session/session.tsx'
import type { Choice } from './choice.ts'
import styles from './choice-bar.module.css'
import type { Tile } from './tiles.ts'

/** What can be done with the chosen hosts. Stays at the bottom of the window. */
export default function ChoiceBar({
  choice,
  shown,
  note,
}: {
  readonly choice: Choice
  /** Hosts that the map shows now. */
  readonly shown: readonly Tile[]
  /** What could not be chosen. */
  readonly note: string
}) {
  const { may, whyNot } = useSession()
  const { names } = choice
  const hosts = shown.filter(({ isSharing }) => !isSharing)
  const to = (what: string) => `/hosts/change?${new URLSearchParams({ do: what, hosts: packHosts(names) })}`
  return (
    <div className={styles.bar} role="region" aria-label="Chosen hosts">
      <strong aria-live="polite">
        {names.size === 0 ? 'No host is chosen' : `${plural(names.size, 'host')} chosen`}
        {note !== '' && <span className={styles.note}> {note}</span>}
      </strong>
      {names.size === 0 ? (
        <span className="soft">Click hosts or racks, draw a box with the mouse, or press the space bar.</span>
      ) : (
        <>
          {may('berth:simulate') && <Link href={to('take-down')}>Can they be taken down?</Link>}
          <Link href={to('disable')}>Change them …</Link>
        </>
      )}
      <span className={styles.right}>
        <ActButton
          variant="default"
          why={
            hosts.length > CHANGED_HOSTS_MAX
              ? `At most ${amount(CHANGED_HOSTS_MAX)} hosts are changed at once. Filter first.`
              : whyNot('berth:hosts')
          }
          onClick={() => choice.add(hosts.map(({ name }) => name))}
        >
          Choose all {amount(hosts.length)} shown
        </ActButton>
        {names.size > 0 && (
          <ActButton variant="default" onClick={choice.clear}>
            Clear
          </ActButton>
        )}
        <ActButton variant="default" onClick={() => choice.setOn(false)}>
          Done
        </ActButton>
      </span>
    </div>
  )
}
