import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ComparedDecision } from '../../../src/wire/decisions.ts'
import { verdictWords } from '../../../src/words/decision-words.ts'
import { compareDecision } from '../api/scheduling.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Chip, FailureNote, Panel } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { amount, plural } from '../formats.ts'
import table from '../providers/provider-page.module.css'
import { useNames } from './funnels.tsx'
import { VERDICT_TONES } from './host-reports.tsx'
import styles from './why.module.css'

const HOSTS_SHOWN_MAX = 100

/** What changed since a decision, host by host. It needs a copy of the whole state, so it is asked for. */
export function CompareDecision({ id }: { readonly id: string }) {
  const compare = useMutation({ mutationFn: () => compareDecision(id) })
  return (
    <Panel
      title="What changed since"
      aside={
        <ActButton variant="default" loading={compare.isPending} onClick={() => compare.mutate()}>
          Compare
        </ActButton>
      }
      flush
    >
      {compare.error !== null && <FailureNote error={compare.error} />}
      {compare.data === undefined ? (
        <p className={styles.rest}>The same request at that time and now, host by host.</p>
      ) : (
        <Compared compared={compare.data} />
      )}
    </Panel>
  )
}

function Compared({ compared }: { readonly compared: ComparedDecision }) {
  const { before, now, settings_changed, changed, hosts } = compared
  const shown = hosts.slice(0, HOSTS_SHOWN_MAX)
  return (
    <>
      <p className={styles.rest} role="status">
        {changed === 0 ? 'Every host is as it was.' : `${plural(changed, 'host')} changed.`}{' '}
        {amount(before.passed)} of {plural(before.hosts, 'host')} passed then, {amount(now.passed)} of{' '}
        {plural(now.hosts, 'host')} now.{' '}
        {settings_changed && 'Filters, weighers or their settings changed since.'}
      </p>
      {shown.length > 0 && (
        <Sideways label="Hosts that changed">
          <table className={`${table.table} ${table.words} ${table.tight}`}>
            <thead>
              <tr>
                <th scope="col">Host</th>
                <th scope="col">At that time</th>
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(one => (
                <tr key={one.provider}>
                  <td>
                    <Link href={`/providers/${one.provider}`}>{one.host}</Link>
                  </td>
                  <td>
                    <Verdict verdict={one.before} />
                  </td>
                  <td>
                    <Verdict verdict={one.now} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Sideways>
      )}
      {changed > shown.length && (
        <p className={styles.rest}>And {plural(changed - shown.length, 'more host')}.</p>
      )}
    </>
  )
}

function Verdict({ verdict: at }: { readonly verdict: ComparedDecision['hosts'][number]['now'] }) {
  const named = useNames()
  if (at === null) return <Chip>not there</Chip>
  return (
    <>
      <Chip tone={VERDICT_TONES[at.verdict]}>{verdictWords[at.verdict]}</Chip>{' '}
      <span className="soft">{at.reasons.map(named).join(' ')}</span>
    </>
  )
}
