import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './page.module.css'
import { useReturnFocus } from './use-return-focus.ts'

/** A dialog named by its title. It traps the focus, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly size?: string
  readonly children: ReactNode
}) {
  useReturnFocus()
  return (
    <Modal.Root opened onClose={onClose} size={size} centered>
      <Modal.Overlay />
      <Modal.Content>
        <div className={styles.dialogHead}>
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
