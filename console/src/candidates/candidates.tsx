import { Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { readCandidates } from '../api/placement.ts'
import { berthCommands } from '../berth-commands.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, FailureNote, Loading, Page, Panel } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { limitOf, readAddress, withLimit, writeAddress } from './address.ts'
import styles from './candidates.module.css'
import { asCurl, asOpenstack } from './commands.ts'
import { Explained } from './explained.tsx'
import { asksForSomething, formatQuery, parseQuery } from './query.ts'
import { QueryForm } from './query-form.tsx'
import { Results } from './results.tsx'

export default function Candidates() {
  const { may } = useSession()
  const address = readAddress(useSearch())
  const text = address.request
  const [path, navigate] = useLocation()
  const query = useMemo(() => parseQuery(text), [text])
  const [settled] = useDebouncedValue(text, 300)
  const write = (next: string) => navigate(next === '' ? path : `${path}?${next}`, { replace: true })
  if (!may('placement:allocation_candidates:list'))
    return <NotForYou title="Candidates" operation="placement:allocation_candidates:list" />
  const limited = withLimit(text)
  const openstack = asOpenstack(parseQuery(limited))
  return (
    <Page
      title="Candidates"
      text="Where would this go? The form and the query string say the same; change either. The address of this page is the request."
    >
      <div className={styles.columns}>
        <div className={styles.side}>
          <Panel title="Request" flush>
            <QueryForm query={query} onChange={next => write(formatQuery(next))} />
          </Panel>
        </div>
        <div className={styles.side}>
          <Panel
            title="Query string"
            aside={
              <>
                <CopyButton label="Copy as curl" text={asCurl(location.origin, limited)} />
                <CopyButton label="Copy as berth" text={berthCommands.candidates(limited)} />
                <CopyButton label="Copy as openstack" text={openstack.command ?? ''} why={openstack.why} />
              </>
            }
          >
            <Textarea
              aria-label="Query string"
              className={styles.text ?? ''}
              autosize
              minRows={2}
              maxRows={8}
              placeholder="resources=VCPU:8,MEMORY_MB:32768&required=HW_CPU_X86_AVX2"
              value={text}
              onChange={event => write(event.currentTarget.value.trim().replace(/^\?/, ''))}
            />
          </Panel>
          {asksForSomething(parseQuery(settled)) ? (
            <Found
              text={settled}
              chosen={address.chosen}
              onChoose={chosen => write(writeAddress({ request: text, chosen }))}
            />
          ) : (
            <NothingAsked onTry={write} />
          )}
        </div>
      </div>
    </Page>
  )
}

function Found({
  text,
  chosen,
  onChoose,
}: {
  readonly text: string
  readonly chosen: string | null
  readonly onChoose: (chosen: string) => void
}) {
  const limited = withLimit(text)
  const answer = useQuery({
    queryKey: ['candidates', limited],
    queryFn: () => readCandidates(limited),
    placeholderData: before => before,
  })
  if (answer.error !== null) return <FailureNote error={answer.error} />
  if (answer.data === undefined) return <Loading what="candidates" />
  return answer.data.allocation_requests.length === 0 ? (
    <Explained text={text} />
  ) : (
    <Results
      answer={answer.data}
      isLimited={answer.data.allocation_requests.length >= limitOf(limited)}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}

const EXAMPLES: readonly (readonly [label: string, query: string])[] = [
  ['Processors, memory and a disk', 'resources=VCPU:8,MEMORY_MB:32768,DISK_GB:80'],
  [
    'A GPU and a network card at one NUMA node',
    'resources_CPU=VCPU:8,MEMORY_MB:16384&resources_GPU=PGPU:1&resources_NET=SRIOV_NET_VF:1&same_subtree=_CPU,_GPU,_NET&group_policy=none',
  ],
  ['A processor with AVX2 or AVX512', 'resources=VCPU:1&required=in:HW_CPU_X86_AVX2,HW_CPU_X86_AVX512F'],
]

function NothingAsked({ onTry }: { readonly onTry: (text: string) => void }) {
  return (
    <Panel>
      <Empty title="Ask for something">
        A request has at least one resource class with an amount. Some to begin with:
      </Empty>
      <div className={styles.buttons} style={{ justifyContent: 'center', paddingBottom: 20 }}>
        {EXAMPLES.map(([label, query]) => (
          <button
            key={label}
            type="button"
            className={styles.candidate}
            style={{ width: 'auto' }}
            onClick={() => onTry(query)}
          >
            {label}
          </button>
        ))}
      </div>
    </Panel>
  )
}
