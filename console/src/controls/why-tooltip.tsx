import { Tooltip } from '@mantine/core'
import type { ReactElement } from 'react'

/** Why a control is disabled, while the pointer or the focus is on it. */
export default function WhyTooltip({
  why,
  children,
}: {
  readonly why: string
  readonly children: ReactElement<Record<string, unknown>>
}) {
  return <Tooltip label={why}>{children}</Tooltip>
}
