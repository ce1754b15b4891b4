import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Panel } from '../controls/page.tsx'
import { setChange } from '../controls/three-way.ts'
import { Conflict, EditButton, SetChanges, whyNotYet } from './conflict.tsx'
import styles from './provider-page.module.css'
import type { Edit } from './use-edit.ts'

/** Shows and edits a set of names of a provider, and resolves conflicts. */
export function SetPanel({
  title,
  operation,
  edit,
  shown,
  field,
  nameOf,
}: {
  readonly title: string
  /** The policy operation to change it. */
  readonly operation: string
  readonly edit: Edit<readonly string[]>
  readonly shown: ReactNode
  readonly field: (draft: readonly string[]) => ReactNode
  readonly nameOf?: (member: string) => string
}) {
  const what = title.toLowerCase()
  return (
    <Panel
      title={title}
      aside={
        <EditButton edit={edit} operation={operation}>
          Edit {what}
        </EditButton>
      }
    >
      {edit.draft === null ? (
        shown
      ) : (
        <>
          {field(edit.draft)}
          <div className={styles.chips}>
            <ActButton onClick={() => void edit.save()} loading={edit.isBusy} why={whyNotYet(edit)}>
              Save {what}
            </ActButton>
            <Button variant="default" onClick={edit.cancel}>
              Cancel
            </Button>
          </div>
        </>
      )}
      <Conflict edit={edit}>
        {(base, theirs) => (
          <SetChanges change={setChange(base, theirs)} {...(nameOf === undefined ? {} : { nameOf })} />
        )}
      </Conflict>
      {edit.error !== null && <FailureNote error={edit.error} />}
    </Panel>
  )
}
