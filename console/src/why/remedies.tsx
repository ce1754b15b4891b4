import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useSurroundings } from '../map/capacity-map.tsx'
import { groupedRemedies, type Remedy } from './grouped-remedies.ts'
import styles from './why.module.css'

export type { Remedy }

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
      {groupedRemedies(changes).map(({ text, first, providers }) => (
        <li key={text} className={styles.change}>
          <span>{text}</span>
          {providers.length === 0 && act?.(first)}
          {aggregates
            .filter(({ uuid }) => uuid === first.aggregate)
            .map(({ id, name }) => (
              <Link key={id} href={`/aggregates/${id}`}>
                Open {name}
              </Link>
            ))}
          {providers.map(({ uuid, name }) => (
            <Link key={uuid} href={`/providers/${uuid}`}>
              {providers.length === 1 ? `Edit ${name}` : name}
            </Link>
          ))}
        </li>
      ))}
    </ul>
  )
}

interface NearMiss {
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
