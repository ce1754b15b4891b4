import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Note } from '../controls/page.tsx'
import styles from './provider-page.module.css'
import type { Collision, FieldChange, SetChange } from './three-way.ts'

/** Why nothing can be saved before it is settled; null where there is nothing to settle. */
export const whyNotYet = ({ theirs }: { readonly theirs: unknown }): string | null =>
  theirs === null ? null : 'Somebody changed it meanwhile. Reapply yours or drop it first, below.'

/** Somebody else was faster: what they did, where it collides, and what can be done. */
export function Conflict({
  from,
  to,
  children,
  onReapply,
  onDiscard,
  isBusy,
}: {
  readonly from: number
  readonly to: number
  readonly children: ReactNode
  readonly onReapply: () => void
  readonly onDiscard: () => void
  readonly isBusy: boolean
}) {
  return (
    <div className={styles.conflict}>
      <Note tone="warm">
        <strong>Somebody changed this provider while you were editing.</strong>
        <p>
          You started from generation {from}; it is at {to} now. Nothing of yours was written.
        </p>
      </Note>
      {children}
      <div className={styles.chips}>
        <Button onClick={onReapply} loading={isBusy}>
          Reapply my changes
        </Button>
        <Button variant="default" onClick={onDiscard}>
          Drop mine, keep theirs
        </Button>
      </div>
    </div>
  )
}

const shown = (value: number | undefined): string => (value === undefined ? 'none' : String(value))

export function FieldChanges({
  theirs,
  collisions,
}: {
  readonly theirs: readonly FieldChange[]
  readonly collisions: readonly Collision[]
}) {
  if (theirs.length === 0)
    return <p className="soft">They changed something else of it: the numbers here are as you saw them.</p>
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption className="hidden">What they changed</caption>
        <thead>
          <tr>
            <th scope="col">Changed meanwhile</th>
            <th scope="col">was</th>
            <th scope="col">is now</th>
            <th scope="col">yours</th>
          </tr>
        </thead>
        <tbody>
          {theirs.map(({ row, field, before, after }) => {
            const collision = collisions.find(one => one.row === row && one.field === field)
            return (
              <tr key={`${row}.${field}`}>
                <td>
                  {row} {field}
                </td>
                <td>
                  <del>{shown(before)}</del>
                </td>
                <td>
                  <ins>{shown(after)}</ins>
                </td>
                <td>{collision === undefined ? 'not changed' : <strong>{shown(collision.mine)}</strong>}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

export function SetChanges({
  change,
  nameOf = one => one,
}: {
  readonly change: SetChange
  readonly nameOf?: (one: string) => string
}) {
  if (change.added.length + change.removed.length === 0)
    return <p className="soft">They changed something else of it: this list is as you saw it.</p>
  return (
    <p>
      Changed meanwhile:{' '}
      {change.added.map(one => (
        <ins key={one}>+ {nameOf(one)}</ins>
      ))}{' '}
      {change.removed.map(one => (
        <del key={one}>− {nameOf(one)}</del>
      ))}
    </p>
  )
}
