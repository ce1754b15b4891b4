import type { ReactNode } from 'react'
import { FormDialog } from '../controls/form-dialog.tsx'
import { useRefresh } from './use-shares.ts'

/** A form that changes a share. After success it closes, and all data about shares is fetched again. */
export function ShareDialog({
  onClose,
  ...form
}: {
  readonly title: string
  readonly submit: string
  readonly why?: string | null
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const refresh = useRefresh()
  return (
    <FormDialog
      {...form}
      onClose={onClose}
      onDone={async () => {
        onClose()
        await refresh()
      }}
    />
  )
}
