import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** An icon button that stays focusable when it is disabled, and says why. */
export function ActIcon({
  label,
  why = null,
  onClick,
  children,
  ...props
}: ActionIconProps & {
  readonly label: string
  /** Null: enabled. */
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
