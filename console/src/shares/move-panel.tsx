import { useMutation, useQuery } from '@tanstack/react-query'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { actOnShare, readHoldings } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FailureNote, Panel } from '../controls/page.tsx'
import { usePicture, useSession } from '../session/session.tsx'
import styles from './shares.module.css'
import { isCancellable, isCopied } from './states.ts'
import { useAskAgain, useRefresh, useWhyNot } from './use-shares.ts'

const STAGES = ['Copying while it stays in use', 'Copied: waits to be changed over', 'Changing over'] as const

/** The current stage. */
function stageOf({ task_state }: Share): number {
  if (task_state === 'migration_driver_phase1_done') return 1
  return task_state === 'migration_completing' ? 2 : 0
}

/** A move in progress: its progress, and how to complete or cancel it. */
export function MovePanel({ share }: { readonly share: Share }) {
  const whyNot = useWhyNot(share)
  const refresh = useRefresh()
  const complete = useMutation({
    mutationFn: () => actOnShare(share.id, 'migration_complete'),
    onSettled: refresh,
  })
  const cancel = useMutation({
    mutationFn: () => actOnShare(share.id, 'migration_cancel'),
    onSettled: refresh,
  })
  const at = stageOf(share)
  const isTakenBack = share.task_state === 'migration_in_progress'
  return (
    <Panel title="It is being moved" aside={<Way share={share} />}>
      {isTakenBack ? (
        <p className={styles.gap}>It is taken back: what was copied goes, the share stays where it is.</p>
      ) : (
        <>
          <Progress share={share} />
          <ol className={styles.stages} aria-label="Stages of the move">
            {STAGES.map((text, stage) => (
              <li key={text} data-at={stage < at ? 'done' : stage === at ? 'now' : 'later'}>
                {stage < at ? '✓ ' : ''}
                {text}
                <span className="hidden">{stage < at ? ', done' : stage === at ? ', now' : ', later'}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {complete.error !== null && <FailureNote error={complete.error} />}
      {cancel.error !== null && <FailureNote error={cancel.error} />}
      <div className={styles.buttons}>
        <ActButton
          why={
            whyNot('share:migration_complete') ??
            (isCopied(share) ? null : 'It can be completed once everything is copied.')
          }
          loading={complete.isPending}
          onClick={() => complete.mutate()}
        >
          Complete the move
        </ActButton>
        <ActButton
          variant="default"
          why={
            whyNot('share:migration_cancel') ??
            (isCancellable(share) ? null : 'It is too late, or it is taken back already.')
          }
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel the move
        </ActButton>
      </div>
    </Panel>
  )
}

function Progress({ share }: { readonly share: Share }) {
  const { may } = useSession()
  const again = useAskAgain()
  const { data } = useQuery({
    queryKey: ['shares', 'progress', share.id, share.task_state],
    queryFn: () => actOnShare<{ total_progress: number }>(share.id, 'migration_get_progress'),
    enabled: may('share:migration_get_progress'),
    refetchInterval: () => again(true),
    placeholderData: before => before,
  })
  if (data === undefined) return null
  return <p className="number">{data.total_progress}% copied, as its driver tells.</p>
}

/** Source and target, for users who may see them: the share has allocations in both. */
function Way({ share }: { readonly share: Share }) {
  const { may } = useSession()
  const { fleet } = usePicture()
  const { data } = useQuery({
    queryKey: ['shares', 'holdings', share.id, share.task_state],
    queryFn: () => readHoldings(share.id),
    enabled: may('share:migration_start'),
  })
  const names = (data ?? []).map(uuid => fleet.providers.get(uuid)?.name ?? uuid)
  const target = names.find(name => name !== share.host)
  if (share.host === undefined || target === undefined) return null
  return (
    <span>
      <code>{share.host}</code> → <code>{target}</code>
    </span>
  )
}
