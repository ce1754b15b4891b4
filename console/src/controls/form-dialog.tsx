import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActButton } from './act-button.tsx'
import { Dialog } from './dialog.tsx'
import styles from './form-dialog.module.css'
import { FailureNote } from './page.tsx'

/** A form in a dialog: its fields, the error, and a button. Stays open, with the error, if it fails. */
export function FormDialog<Made>({
  title,
  size,
  submit,
  why = null,
  act,
  onDone,
  onClose,
  children,
}: {
  readonly title: string
  readonly size?: string
  /** The label of the button. */
  readonly submit: string
  /** Why the button is disabled; null if it is not. */
  readonly why?: string | null
  readonly act: () => Promise<Made>
  /** Called after success. The caller closes the dialog. */
  readonly onDone: (made: Made) => unknown
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const acting = useMutation({ mutationFn: act, onSuccess: onDone })
  return (
    <Dialog title={title} onClose={onClose} {...(size === undefined ? {} : { size })}>
      <form
        className={styles.fields}
        onSubmit={event => {
          event.preventDefault()
          // Enter submits even if the button is disabled.
          if (why === null && !acting.isPending) acting.mutate()
        }}
      >
        {children}
        {acting.error !== null && <FailureNote error={acting.error} />}
        <div>
          <ActButton type="submit" why={why} loading={acting.isPending}>
            {submit}
          </ActButton>
        </div>
      </form>
    </Dialog>
  )
}
