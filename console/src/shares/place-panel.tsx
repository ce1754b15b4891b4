import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { explainPlace, readBeside, readShareDecision } from '../api/shares.ts'
import { Note, Panel, Waiting } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { PlaceVerdict } from './place-verdict.tsx'
import styles from './shares.module.css'
import { useAskAgain } from './use-shares.ts'

export function useExplained(share: Share, enabled = true) {
  const again = useAskAgain()
  return useQuery({
    queryKey: ['shares', 'explained', share.id],
    queryFn: () => explainPlace(share.id),
    refetchInterval: () => again(false),
    enabled,
  })
}

/** A share in error may have a pool, which only admins see; others can test whether it shares a back end with itself. */
function useIsNowhere(share: Share): boolean {
  const beside = useQuery({
    queryKey: ['shares', 'beside', share.id, share.id],
    queryFn: () => readBeside(share.id, share.id),
    enabled: share.host === undefined && share.status === 'error',
  })
  return share.host === '' || beside.data === null
}

/** Why it is in its pool, or in none: the recorded decision, and the decision now. */
export function PlacePanel({ share }: { readonly share: Share }) {
  const { may } = useSession()
  const query = useExplained(share)
  const decision = useQuery({
    queryKey: ['shares', 'decision', share.id],
    queryFn: () => readShareDecision(share.id),
    enabled: may('berth:decisions'),
  })
  const isNowhere = useIsNowhere(share)
  return (
    <Panel
      title={isNowhere ? 'Why it has no place' : 'Why here'}
      aside={
        typeof decision.data === 'string' && (
          <Link href={`/decisions/${decision.data}`}>The decision when it was made</Link>
        )
      }
    >
      {query.data === undefined ? (
        <Waiting query={query} what="the explanation" />
      ) : (
        <div className={styles.column}>
          {query.data.moved_against_hints && (
            <Note tone="warm">
              <strong>It was moved against its hints.</strong>
              <p>It was moved by force: the ties below may be broken.</p>
            </Note>
          )}
          <p className="soft">
            Every filter was asked about every pool just now, as if the share were to be placed anew.
            {decision.data === null &&
              ' There is no decision of when it was made: they are kept for 14 days.'}
          </p>
          <PlaceVerdict explanation={query.data.explanation} goes="Placed anew, it would go to" />
        </div>
      )}
    </Panel>
  )
}
