import { useMutation } from '@tanstack/react-query'
import { undoHosts } from '../api/hosts.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Note } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import styles from './change-hosts.module.css'
import { type LastChange, noteChange } from './last-change.ts'

/** The last change of hosts, and its undo, until it is dismissed. */
export default function UndoNote({ last }: { readonly last: LastChange }) {
  const { whyNot } = useSession()
  const undo = useMutation({
    mutationFn: (revision: number) => undoHosts(revision),
    onSuccess: ({ revision, hosts }) =>
      noteChange({ revision, text: `Undone: ${plural(hosts.length, 'host')} as before.` }),
  })
  return (
    <>
      <Note tone="good">
        <div className={styles.undo}>
          <span>
            {last.text} <span className="soft">Revision {last.revision}.</span>
          </span>
          <ActButton
            variant="default"
            why={whyNot('berth:hosts:write')}
            loading={undo.isPending}
            onClick={() => undo.mutate(last.revision)}
          >
            {last.text.startsWith('Undone') ? 'Redo' : 'Undo'}
          </ActButton>
          <ActButton
            variant="subtle"
            onClick={() => {
              undo.reset()
              noteChange(null)
            }}
          >
            Dismiss
          </ActButton>
        </div>
      </Note>
      {undo.error !== null && <FailureNote error={undo.error} />}
    </>
  )
}
