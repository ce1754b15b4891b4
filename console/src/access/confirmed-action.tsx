import { type ReactNode, useState } from 'react'
import { ActButton } from '../controls/act-button.tsx'
import { AskFirst } from '../controls/ask-first.tsx'
import { useReread } from './use-access.ts'

/** A button, in a row or above a page, that asks before it does something. */
export function ConfirmedAction({
  label,
  name,
  why,
  title,
  action,
  act,
  isInRow = false,
  children,
}: {
  readonly label: string
  /** What it is about, for a button that many rows have. */
  readonly name?: string
  readonly why: string | null
  /** Of the dialog. */
  readonly title: string
  /** The label of the button in the dialog. */
  readonly action: string
  readonly act: () => Promise<unknown>
  readonly isInRow?: boolean
  /** The consequences. */
  readonly children: ReactNode
}) {
  const [isAsking, setAsking] = useState(false)
  const reread = useReread()
  return (
    <>
      <ActButton
        variant="default"
        {...(isInRow ? { size: 'compact-xs' } : {})}
        why={why}
        onClick={() => setAsking(true)}
      >
        {label}
        {name !== undefined && <span className="hidden"> {name}</span>}
      </ActButton>
      {isAsking && (
        <AskFirst
          title={title}
          action={action}
          onYes={async () => {
            await act()
            await reread()
          }}
          onClose={() => setAsking(false)}
        >
          {children}
        </AskFirst>
      )}
    </>
  )
}
