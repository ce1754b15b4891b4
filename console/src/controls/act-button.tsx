import { Button, type ButtonProps } from '@mantine/core'
import { lazy, type MouseEvent, type ReactNode, Suspense } from 'react'

// Most buttons are enabled, and what places a tooltip is large.
const WhyTooltip = lazy(() => import('./why-tooltip.tsx'))

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
  if (why === null) return button
  return (
    <Suspense fallback={button}>
      <WhyTooltip why={why}>{button}</WhyTooltip>
    </Suspense>
  )
}
