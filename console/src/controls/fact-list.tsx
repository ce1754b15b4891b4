import { Fragment, type ReactNode } from 'react'
import styles from './fact-list.module.css'

type Facts = readonly (readonly [name: string, value: ReactNode])[]

/** Names and values in two columns; leaves out what is null. */
export function FactList({ facts }: { readonly facts: Facts }) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
