import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'

/** A button that stays focusable when it is disabled, and says why. */
export function ActButton({
  why = null,
  onClick,
  children,
  type = 'button',
  ...props
}: ButtonProps & {
  /** Null: enabled. */
  readonly why?: string | null
  readonly onClick?: (event: MouseEvent) => void
  readonly children: ReactNode
  readonly type?: 'button' | 'submit'
}) {
  const button = (
    <Button
      {...props}
      type={why === null ? type : 'button'}
      {...(why === null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      onClick={event => {
        if (why === null) onClick?.(event)
        else event.preventDefault()
      }}
    >
      {children}
      {why !== null && <span className="hidden">. Not available: {why}</span>}
    </Button>
  )
  return why === null ? button : <Tooltip label={why}>{button}</Tooltip>
}
