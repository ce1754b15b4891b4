import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormDialog } from '../controls/form-dialog.tsx'

/** A form that changes the catalog. Closes once the catalog was read again. */
export function DefinitionDialog({
  onDone,
  onClose,
  ...form
}: {
  readonly title: string
  readonly size?: string
  readonly submit: string
  readonly why?: string | null
  readonly act: () => Promise<unknown>
  /** Called after it was closed. */
  readonly onDone?: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const queries = useQueryClient()
  return (
    <FormDialog
      {...form}
      onClose={onClose}
      onDone={async () => {
        await queries.invalidateQueries({ queryKey: ['catalog'] })
        onClose()
        onDone?.()
      }}
    />
  )
}
