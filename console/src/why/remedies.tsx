import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useSurroundings } from '../map/capacity-map.tsx'
import styles from './why.module.css'

/** A single change that would help, as the server tells it. */
export interface Remedy {
  readonly kind: string
  readonly text: string
  readonly provider?: { readonly uuid: string; readonly name: string }
  /** Which it has to be put into, or taken out of. */
  readonly aggregate?: string
}

/** Changes of the request are made here, changes of the cloud where it is edited. */
export function Remedies({
  changes,
  act,
}: {
  readonly changes: readonly Remedy[]
  readonly act?: (change: Remedy) => ReactNode
}) {
  const { aggregates } = useSurroundings()
  return (
    <ul className={styles.list} aria-label="Changes that would help">
      {changes.map(change => (
        <li key={change.text} className={styles.change}>
          <span>{change.text}</span>
          {change.provider === undefined ? (
            act?.(change)
          ) : (
            <>
              {aggregates
                .filter(({ uuid }) => uuid === change.aggregate)
                .map(({ id, name }) => (
                  <Link key={id} href={`/aggregates/${id}`}>
                    Open {name}
                  </Link>
                ))}
              <Link href={`/providers/${change.provider.uuid}`}>Edit {change.provider.name}</Link>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

export interface NearMiss {
  readonly root?: { readonly uuid: string; readonly name: string }
  readonly misses: readonly { readonly text: string }[]
}

export function NearestMisses({ nearest }: { readonly nearest: readonly NearMiss[] }) {
  return (
    <ul className={styles.list} aria-label="Nearest misses">
      {nearest.map(({ root, misses }, at) => (
        <li key={root?.uuid ?? at}>
          {root === undefined ? 'A host' : <Link href={`/providers/${root.uuid}`}>{root.name}</Link>}
          <ul>
            {misses.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}
