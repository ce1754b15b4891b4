import { Button } from '@mantine/core'
import { useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import type { PoolReport, ShareExplanation } from '../../../src/wire/share-explanation.ts'
import { Chip, Note } from '../controls/page.tsx'
import { amount, ofClass, plural } from '../formats.ts'
import { Funnel } from '../why/funnel.tsx'
import { ShareText } from './share-text.tsx'
import styles from './shares.module.css'

/** What each filter passes, in words. */
const KEEPS: Readonly<Record<string, string>> = {
  BackEndFilter: 'its back end is enabled',
  OnlyHostFilter: 'it is the one that was named',
  AvailabilityZoneFilter: 'it is in the zone',
  CapacityFilter: 'it has room',
  CapabilitiesFilter: 'it can do what the type asks for',
  CreateFromSnapshotFilter: 'the snapshot is there',
  AffinityFilter: 'what it has to be near is there',
  AntiAffinityFilter: 'nothing is there that it has to be away from',
}

/** Where a share would go, how far each filter narrowed it, and, for admins, every pool. */
export function PlaceVerdict({
  explanation,
  goes,
}: {
  readonly explanation: ShareExplanation
  /** The text before the name of the pool. */
  readonly goes: string
}) {
  const { fits, reason, funnel, pool, pools } = explanation
  const all = funnel[0]?.before ?? 0
  const left = funnel.at(-1)?.after ?? 0
  return (
    <div className={styles.column}>
      {fits ? (
        <Note tone="good">
          <strong>
            {pool === null ? (
              'There is a place for it.'
            ) : (
              <>
                {goes} <code>{pool}</code>.
              </>
            )}
          </strong>
          <p>
            {amount(left)} of {plural(all, 'pool')} {left === 1 ? 'fits' : 'fit'}.
          </p>
        </Note>
      ) : (
        <Note tone="hot">
          <strong>No pool fits.</strong>
          <p>
            {all === 0 ? 'There is no share back end yet.' : reason !== null && <ShareText text={reason} />}
          </p>
        </Note>
      )}
      <Narrowing funnel={funnel} />
      {pools.length > 0 && <Pools pools={pools} />}
    </div>
  )
}

function Narrowing({ funnel }: { readonly funnel: ShareExplanation['funnel'] }) {
  const removing = funnel.filter(({ before, after }) => after < before)
  const silent = funnel.length - removing.length
  if (funnel.every(({ before }) => before === 0)) return null
  return (
    <div>
      <Funnel
        what="pools"
        steps={removing.map(({ filter, before, after }) => ({
          key: filter,
          text: `${ownValue(KEEPS, filter) ?? 'it passes'} (${filter})`,
          before,
          after,
          verdict: after === 0 ? 'blocks' : 'narrows',
          tone: after === 0 ? 'hot' : 'warm',
        }))}
      />
      <p className="soft" style={{ padding: '0.3rem 0.9rem' }}>
        {removing.length === 0 ? 'No filter refused any pool.' : `${plural(silent, 'filter')} refused none.`}
      </p>
    </div>
  )
}

/** How many are shown at first; the best come first. */
const SHOWN_MAX = 40

function Pools({ pools }: { readonly pools: readonly PoolReport[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? pools : pools.slice(0, SHOWN_MAX)
  return (
    <ul className={styles.list} aria-label="Pools">
      {shown.map(({ pool, passes, free_gb, refusals }) => (
        <li key={pool}>
          <span>
            <code>{pool}</code>
            {refusals.map(({ filter, reasons }) => (
              <span key={filter} className={styles.why}>
                {reasons.map(({ text }) => (
                  <span key={text}>
                    <ShareText text={text} />{' '}
                  </span>
                ))}
              </span>
            ))}
          </span>
          <span className="soft number">{ofClass('CUSTOM_SHARE_GB', free_gb)} free</span>
          <Chip tone={passes ? 'good' : 'plain'}>{passes ? 'fits' : 'does not fit'}</Chip>
        </li>
      ))}
      {shown.length < pools.length && (
        <li>
          <Button variant="default" onClick={() => setWhole(true)}>
            Show all {amount(pools.length)} pools
          </Button>
        </li>
      )}
    </ul>
  )
}
