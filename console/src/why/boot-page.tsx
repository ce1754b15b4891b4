import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import type { Boot, BootStage } from '../../../src/wire/boot.ts'
import { readBoot } from '../api/scheduling.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, codeStyle, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import styles from './why.module.css'

const STAGE_TITLES: Readonly<Partial<Record<BootStage['kind'], string>>> = {
  candidates: 'Placement was asked',
  'nova-filter': 'The filters of Berth',
  claim: 'A claim',
}

/** All stages of one boot of Nova, by its request or its server. */
export default function BootPage() {
  const { id = '' } = useParams<{ id: string }>()
  const { may } = useSession()
  const mayAsk = may('berth:explain:hosts') || may('berth:explain:boot:own')
  const query = useQuery({ queryKey: ['explain', 'boot', id], queryFn: () => readBoot(id), enabled: mayAsk })
  if (!mayAsk) return <NotForYou title="Boot" operation="berth:explain:boot:own" />
  return (
    <Page title="Boot" trail={[['Decisions', '/decisions']]} text={<code>{id}</code>}>
      {query.data === undefined ? (
        <Waiting query={query} what="the stages of the boot" />
      ) : (
        <Stages boot={query.data} />
      )}
    </Page>
  )
}

function Stages({ boot }: { readonly boot: Boot }) {
  return (
    <>
      {boot.is_cut && <Note>There are older stages, which are not shown.</Note>}
      {boot.stages.map(stage => (
        <Stage key={`${stage.at} ${stage.decision ?? stage.text}`} stage={stage} />
      ))}
      <WhatHelps boot={boot} />
      {boot.servers.length > 0 && (
        <Panel title="Where it is now">
          {boot.servers.map(({ server, hosts }) => (
            <p key={server}>
              <ConsumerLink uuid={server} />: {hosts.join(', ') || 'no allocations'}
            </p>
          ))}
        </Panel>
      )}
    </>
  )
}

function Stage({ stage }: { readonly stage: BootStage }) {
  const { at, kind, outcome, text, lines, servers, query, decision, revision, explained_revision } = stage
  return (
    <Panel
      title={STAGE_TITLES[kind] ?? kind}
      aside={
        <>
          <Chip tone={outcome === 'refused' ? 'hot' : 'good'}>{outcome}</Chip>
          <span className="soft">{momentText(at)}</span>
        </>
      }
    >
      <p>
        <strong>{text}</strong>
      </p>
      {query !== null && <pre className={codeStyle}>{query}</pre>}
      {servers.length > 0 && (
        <p>
          {plural(servers.length, 'server')}:{' '}
          {servers.map((server, at) => (
            <span key={server}>
              {at > 0 && ', '}
              <ConsumerLink uuid={server} />
            </span>
          ))}
        </p>
      )}
      {lines.length > 0 && (
        <ul className={styles.list}>
          {lines.map(line => (
            <li key={line} className={styles.change}>
              {line}
            </li>
          ))}
        </ul>
      )}
      {explained_revision !== null && explained_revision !== revision && (
        <p className="soft">
          Answered at revision {revision}, explained at revision {explained_revision}.
        </p>
      )}
      {decision !== null && (
        <p>
          <Link href={`/decisions/${decision}`}>Open the decision</Link>
        </p>
      )}
    </Panel>
  )
}

function WhatHelps({ boot: { now, advice } }: { readonly boot: Boot }) {
  if (now === null && advice.length === 0) return null
  return (
    <Panel title="What would help now">
      {now !== null && (
        <p>
          Placement finds{' '}
          <strong>
            {now.candidates === 0
              ? 'no candidate'
              : `${amount(now.candidates)}${now.capped ? ' or more candidates' : now.candidates === 1 ? ' candidate' : ' candidates'}`}
          </strong>{' '}
          at revision {now.revision}.
        </p>
      )}
      <ul className={styles.list} aria-label="Changes that would help">
        {[...(now?.changes ?? []), ...advice].map(text => (
          <li key={text} className={styles.change}>
            {text}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
