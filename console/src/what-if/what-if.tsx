import { NumberInput, Select, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SimulateBody, Simulation } from '../../../src/wire/simulation.ts'
import { simulate } from '../api/scheduling.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { useNumberText } from '../controls/number-text.ts'
import { FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { FitTable } from '../fit/fit-table.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { FlavorField, useHostNames, ZoneField } from '../why/ask-fields.tsx'
import styles from '../why/why.module.css'
import { DrainFlow } from './drain-flow.tsx'
import { Ends, FitBars } from './fit-bars.tsx'
import { hostRows, zoneRows } from './rows.ts'

/** How many more fit, and how many would if hosts were drained or added. Changes nothing. */
export default function WhatIf() {
  const { may } = useSession()
  const [params] = useUrlState()
  const ask = useMemo(() => askOf(params), [params])
  const isAsked = params.get('flavor') !== null
  const query = useQuery({
    queryKey: ['what-if', ask],
    queryFn: () => simulate(ask),
    enabled: isAsked && may('berth:simulate'),
    placeholderData: before => before,
    staleTime: 30_000,
  })
  if (!may('berth:simulate')) return <NotForYou title="What if" operation="berth:simulate" />
  return (
    <Page
      title="What if"
      text="How many more of a flavor fit, now and if hosts were emptied or added. Computed on a copy: nothing is changed."
    >
      <Panel>
        <AskForm />
      </Panel>
      {!isAsked ? (
        <FitTable page="/what-if" />
      ) : query.data === undefined ? (
        <Waiting query={query} what="a copy of the cloud" />
      ) : (
        <>
          {query.error !== null && <FailureNote error={query.error} />}
          <Answer simulation={query.data} drain={ask.drain ?? []} />
        </>
      )}
    </Page>
  )
}

const splitList = (text: string | null): string[] => (text === null || text === '' ? [] : text.split(','))

function askOf(params: URLSearchParams): SimulateBody {
  const drain = splitList(params.get('drain'))
  const like = params.get('like')
  const zone = params.get('zone')
  return {
    flavor: params.get('flavor') ?? '',
    // Reads all of them: a host that one answer omits may be in the other.
    hosts_max: 10_000,
    ...(zone === null ? {} : { zone }),
    ...(drain.length === 0 ? {} : { drain }),
    ...(like === null ? {} : { add: [{ like, count: Math.max(1, Number(params.get('count') ?? 1) || 1) }] }),
  }
}

function AskForm() {
  const [params, change] = useUrlState()
  const names = useHostNames()
  return (
    <div className={styles.ask}>
      <FlavorField value={params.get('flavor')} onChange={flavor => change({ flavor })} />
      <ZoneField value={params.get('zone')} onChange={zone => change({ zone })} />
      <TagsInput
        label="Drain these hosts"
        placeholder="None"
        data={names}
        limit={30}
        value={splitList(params.get('drain'))}
        onChange={drain => change({ drain: drain.join(',') })}
      />
      <Select
        label="Add hosts like"
        placeholder="None"
        searchable
        clearable
        limit={30}
        clearButtonProps={{ 'aria-label': 'Add none' }}
        data={names}
        value={params.get('like')}
        onChange={like => change({ like })}
      />
      <CountField />
    </div>
  )
}

/** An empty field stays empty; until there is a number, one host is assumed. */
function CountField() {
  const [params, change] = useUrlState()
  const isOff = params.get('like') === null
  return (
    <NumberInput
      label="How many"
      description={isOff ? 'First say what they are like.' : null}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      min={1}
      max={10_000}
      allowDecimal={false}
      disabled={isOff}
      {...useNumberText(params.get('count') ?? '1', count => change({ count }))}
    />
  )
}

function Answer({
  simulation,
  drain,
}: {
  readonly simulation: Simulation
  readonly drain: readonly string[]
}) {
  const { before, after, change, drained, stuck, others, added, warnings } = simulation
  const now = after ?? before
  const byHost = hostRows(simulation, drain)
  return (
    <>
      {stuck > 0 && (
        <Note tone="hot">
          <strong>{plural(stuck, 'server')} would find no place.</strong>
          <p>The hosts cannot be emptied as things are; below is which, and why.</p>
        </Note>
      )}
      {warnings.map(({ text }) => (
        <Note key={text} tone="warm">
          {text}
        </Note>
      ))}
      <div className={styles.figures}>
        <Figure value={amount(before.fits)} text={after === null ? 'more fit' : 'fit as it is'} />
        {after !== null && <Figure value={amount(after.fits)} text="would fit then" />}
        {change !== null && <Figure value={`${change > 0 ? '+' : ''}${amount(change)}`} text="difference" />}
        <Figure
          value={`${amount(now.hosts_that_fit)} of ${amount(now.hosts)}`}
          text="hosts take at least one"
        />
        {drained.length > 0 && (
          <Figure value={amount(drained.length - stuck)} text={`of ${drained.length} servers move`} />
        )}
      </div>
      {now.is_cut && <Note tone="warm">The limit of claims was reached: more may fit.</Note>}
      {added.length > 0 && (
        <p className="soft">
          Added: {added.slice(0, 8).join(', ')}
          {added.length > 8 && ` and ${added.length - 8} more`}
        </p>
      )}
      <div className={styles.two}>
        <div className={styles.column}>
          <Panel title="By zone" flush>
            <FitBars label="Fits by zone" rows={zoneRows(simulation)} />
          </Panel>
          <Panel title="What limits it" flush>
            <Ends ends={now.ends} />
          </Panel>
          {drained.length > 0 && (
            <Panel
              title="Where servers would go"
              aside={others > 0 && <span className="soft">{plural(others, 'other consumer')} stay</span>}
            >
              <DrainFlow drained={drained} />
            </Panel>
          )}
        </div>
        <Panel
          title="By host"
          aside={byHost.leftOut > 0 && <span className="soft">and {amount(byHost.leftOut)} more</span>}
          flush
        >
          <FitBars label="Fits by host" rows={byHost.rows} />
        </Panel>
      </div>
    </>
  )
}

function Figure({ value, text }: { readonly value: string; readonly text: string }) {
  return (
    <div className={styles.figure}>
      <b>{value}</b>
      <span>{text}</span>
    </div>
  )
}
