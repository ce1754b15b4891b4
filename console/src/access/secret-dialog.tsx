import { CopyButton } from '../controls/copy-button.tsx'
import { Dialog } from '../controls/dialog.tsx'
import { codeStyle, Note } from '../controls/page.tsx'
import styles from './access.module.css'

/** A secret that exists only here: the server has its hash. */
export function SecretDialog({
  title,
  secret,
  onClose,
}: {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={styles.secret}>
        <Note tone="warm">Copy it now: it is not shown again. The server keeps only a hash.</Note>
        <pre className={codeStyle}>{secret}</pre>
        <div>
          <CopyButton text={secret} label="Copy" />
        </div>
      </div>
    </Dialog>
  )
}
