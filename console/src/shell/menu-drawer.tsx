import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

/** The views, for screens that are too narrow to show them all the time. */
export default function MenuDrawer({
  onClose,
  children,
}: {
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Drawer.Root opened onClose={onClose} size="15rem">
      <Drawer.Overlay />
      <Drawer.Content aria-label="Menu">
        <Drawer.Body pt="md">{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
