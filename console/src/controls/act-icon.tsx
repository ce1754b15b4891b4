import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button with a sign instead of words that, when it cannot be used, can still be reached and says why. */
export function ActIcon({
  label,
  why = null,
  onClick,
  children,
  ...props
}: ActionIconProps & {
  readonly label: string
  /** Null: it can be used. */
  readonly why?: string | null
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  const button = (
    <ActionIcon
      {...props}
      aria-label={why === null ? label : `${label}. Not available: ${why}`}
      {...(why === null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => {
        if (why === null) onClick()
      }}
    >
      {children}
    </ActionIcon>
  )
  return why === null ? button : <Tooltip label={why}>{button}</Tooltip>
}
