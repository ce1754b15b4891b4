import { useMutation, useQuery } from '@tanstack/react-query'
import { ownValue } from '../../../src/kernel/records.ts'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { deleteMessage, readMessages } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Note } from '../controls/page.tsx'
import { momentText } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ShareText } from './share-text.tsx'
import styles from './shares.module.css'
import { useAskAgain, useRefresh } from './use-shares.ts'

/** The failed action, by the numbers of messages. */
const TRIED: Readonly<Record<string, string>> = {
  '001': 'It found no place',
  '002': 'It could not be made',
  '007': 'It could not be deleted',
  '008': 'It could not be extended',
  '009': 'It could not be shrunk',
  '101': 'It could not be moved',
  '102': 'A snapshot failed',
}

/** The user messages about it, newest first. */
export function MessagesPanel({ share }: { readonly share: Share }) {
  const again = useAskAgain()
  const refresh = useRefresh()
  const { whyNot } = useSession()
  const query = useQuery({
    queryKey: ['shares', 'messages', share.id, share.status, share.task_state],
    queryFn: () => readMessages(share.id),
    refetchInterval: () => again(false),
    placeholderData: before => before,
  })
  const remove = useMutation({ mutationFn: deleteMessage, onSuccess: refresh })
  const messages = query.data ?? []
  if (messages.length === 0) return null
  return (
    <section aria-label="Messages" className={styles.column}>
      {remove.error !== null && <FailureNote error={remove.error} />}
      {messages.map(({ id, action_id, message_level, user_message, created_at }) => (
        <Note key={id} tone={share.status === 'available' || message_level === 'WARNING' ? 'warm' : 'hot'}>
          <strong>
            {message_level === 'WARNING' ? 'Warning' : (ownValue(TRIED, action_id) ?? 'Something failed')}.
          </strong>
          <p>
            <ShareText text={user_message} />
          </p>
          <p className={styles.buttons}>
            <span className="soft">{momentText(`${created_at}Z`)}</span>
            <ActButton
              size="compact-xs"
              variant="default"
              why={whyNot('message:delete')}
              loading={remove.isPending && remove.variables === id}
              onClick={() => remove.mutate(id)}
            >
              Dismiss
            </ActButton>
          </p>
        </Note>
      ))}
    </section>
  )
}
