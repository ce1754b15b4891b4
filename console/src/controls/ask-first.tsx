import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActButton } from './act-button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNote } from './page.tsx'

/** Confirms a deletion. Stays open and shows the error if it fails. */
export function AskFirst({
  title,
  action,
  onYes,
  onClose,
  children,
}: {
  readonly title: string
  /** The label of the button. */
  readonly action: string
  readonly onYes: () => Promise<unknown>
  readonly onClose: () => void
  /** The consequences. */
  readonly children: ReactNode
}) {
  const act = useMutation({ mutationFn: onYes, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      <p style={{ marginBottom: 12 }}>{children}</p>
      {act.error !== null && <FailureNote error={act.error} />}
      <ActButton color="red.9" loading={act.isPending} onClick={() => act.mutate()}>
        {action}
      </ActButton>
    </Dialog>
  )
}
