import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useReturnFocus } from '../controls/use-return-focus.ts'

/** The views, for screens that are too narrow to show them all the time. */
export default function MenuDrawer({
  onClose,
  children,
}: {
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  useReturnFocus()
  return (
    <Drawer.Root opened onClose={onClose} size="15rem">
      <Drawer.Overlay />
      <Drawer.Content aria-label="Menu">
        <Drawer.Body pt="md">{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
