import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ActButton } from '../controls/act-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { Note } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import type { Collision, FieldChange, SetChange } from '../controls/three-way.ts'
import { useSession } from '../session/session.tsx'
import styles from './provider-page.module.css'
import type { Edit } from './use-edit.ts'

/** Why saving has to wait for a conflict; null if there is none. */
export const whyNotYet = ({ theirs }: { readonly theirs: unknown }): string | null =>
  theirs === null ? null : 'Someone else has changed it. Reapply or drop your change below first.'

/** Begins an edit; hidden during one. */
export function EditButton<T>({
  edit,
  operation,
  children,
}: {
  readonly edit: Edit<T>
  /** Its policy operation. */
  readonly operation: string
  readonly children: ReactNode
}) {
  const { whyNot } = useSession()
  if (edit.draft !== null) return null
  return (
    <ActButton
      why={whyNot(operation)}
      variant="default"
      loading={edit.isBusy}
      leftSection={<Icon name="pencil" size={13} />}
      onClick={() => void edit.begin()}
    >
      {children}
    </ActButton>
  )
}

/** A concurrent change: what it did, where it conflicts, and how to resolve it. */
export function Conflict<T>({
  edit: { base, theirs, isBusy, reapply, cancel },
  children,
}: {
  readonly edit: Edit<T>
  /** Their changes, from the old to the new value. */
  readonly children: (base: T, theirs: T) => ReactNode
}) {
  if (base === null || theirs === null) return null
  return (
    <div className={styles.conflict}>
      <Note tone="warm">
        <strong>Someone else changed this provider while you were editing.</strong>
        <p>
          You started from generation {base.generation}; it is at {theirs.generation} now. Nothing of yours
          was written.
        </p>
      </Note>
      {children(base.value, theirs.value)}
      <div className={styles.chips}>
        <Button onClick={() => void reapply()} loading={isBusy}>
          Reapply my changes
        </Button>
        <Button variant="default" onClick={cancel}>
          Drop mine, keep theirs
        </Button>
      </div>
    </div>
  )
}

const valueText = (value: number | undefined): string => (value === undefined ? 'none' : String(value))

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
    <Sideways label="What changed meanwhile">
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
                  <del>{valueText(before)}</del>
                </td>
                <td>
                  <ins>{valueText(after)}</ins>
                </td>
                <td>
                  {collision === undefined ? 'not changed' : <strong>{valueText(collision.mine)}</strong>}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Sideways>
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
