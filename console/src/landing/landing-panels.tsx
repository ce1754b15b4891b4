import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { FlavorLandings, LandingReason, Violations } from '../../../src/wire/landing.ts'
import { type LandingTarget, readLandings, readViolations } from '../api/scheduling.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { Chip, Panel, type Tone, Waiting } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { plural } from '../formats.ts'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'

const SHOWN_MAX = 100

interface Props {
  readonly target: LandingTarget
  /** The commands that list all of them. */
  readonly commands: { readonly flavors: string; readonly violations: string }
  /** The query key, which changes when the data does. */
  readonly queryKey: readonly unknown[]
}

/** Which flavors may land on a host or an aggregate, and which servers there break its rules. */
export function LandingPanels(props: Props) {
  const { may } = useSession()
  if (!may('berth:explain:hosts')) return null
  return (
    <>
      <FlavorsPanel {...props} />
      <ViolationsPanel {...props} />
    </>
  )
}

type Verdict = FlavorLandings['flavors'][number]['verdict']

const VERDICTS: Readonly<Record<Verdict, readonly [text: string, tone: Tone]>> = {
  fits: ['fits', 'good'],
  'not-now': ['not now', 'warm'],
  forbidden: ['forbidden', 'hot'],
}

function FlavorsPanel({ target, commands, queryKey }: Props) {
  const query = useQuery({
    queryKey: [...queryKey, 'landings', target],
    queryFn: () => readLandings(target, SHOWN_MAX),
    placeholderData: before => before,
  })
  const { data } = query
  if (data === undefined)
    return (
      <Panel title="Flavors">
        <Waiting query={query} what="which flavors may land here" />
      </Panel>
    )
  const fitting = data.flavors.filter(({ verdict }) => verdict === 'fits').length
  return (
    <Panel
      title="Flavors"
      aside={
        <span className="soft number">
          {fitting} of {plural(data.flavors.length, 'flavor')} fit
        </span>
      }
      flush
    >
      <FlavorTable data={data} />
      {data.truncated && <Rest shown={SHOWN_MAX} command={commands.flavors} />}
      {data.hosts_left_out > 0 && (
        <p className={styles.buttons}>{plural(data.hosts_left_out, 'more host')} were not looked at.</p>
      )}
    </Panel>
  )
}

function FlavorTable({ data }: { readonly data: FlavorLandings }) {
  if (data.flavors.length === 0) return <p className={styles.buttons}>There are no flavors yet.</p>
  return (
    <Sideways label="Flavors that may land here">
      <table className={`${styles.table} ${styles.words}`}>
        <thead>
          <tr>
            <th scope="col">Flavor</th>
            <th scope="col">Verdict</th>
            <th scope="col">Hosts</th>
            <th scope="col">Why not</th>
          </tr>
        </thead>
        <tbody>
          {data.flavors.map(({ id, name, verdict, fits, reasons }) => (
            <tr key={id}>
              <td>
                <Link href={`/flavors/${encodeURIComponent(id)}`}>{name}</Link>
              </td>
              <td>
                <Chip tone={VERDICTS[verdict][1]}>{VERDICTS[verdict][0]}</Chip>
              </td>
              <td className="number">
                {fits} of {data.hosts}
              </td>
              <td className={styles.wrapped}>
                <Reasons reasons={reasons} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sideways>
  )
}

const REASONS_SHOWN = 3

function Reasons({ reasons }: { readonly reasons: readonly LandingReason[] }) {
  const more = reasons.length - REASONS_SHOWN
  return (
    <>
      {reasons.slice(0, REASONS_SHOWN).map(({ filter, code, text }) => (
        <div key={`${filter} ${code} ${text}`}>
          {filter !== null && <span className="soft">{filter}: </span>}
          {text}
        </div>
      ))}
      {more > 0 && <div className="soft">and {more} more</div>}
    </>
  )
}

function Rest({ shown, command }: { readonly shown: number; readonly command: string }) {
  return (
    <p className={styles.buttons}>
      The first {shown}. All of them: <code>{command}</code>
    </p>
  )
}

function ViolationsPanel({ target, commands, queryKey }: Props) {
  const query = useQuery({
    queryKey: [...queryKey, 'violations', target],
    queryFn: () => readViolations(target, SHOWN_MAX),
    placeholderData: before => before,
  })
  const { data } = query
  if (data === undefined)
    return (
      <Panel title="Servers against the rules">
        <Waiting query={query} what="what its servers were asked for" />
      </Panel>
    )
  return (
    <Panel
      title="Servers against the rules"
      aside={
        <span className="soft number">
          {data.violations.length} of {plural(data.servers, 'server')}
        </span>
      }
      flush
    >
      {data.violations.length === 0 ? (
        <p className={styles.buttons}>
          {data.servers === 0 ? 'No server is here.' : 'Every server may be where it is.'}
        </p>
      ) : (
        <ViolationTable data={data} />
      )}
      {data.unknown > 0 && (
        <p className={styles.buttons}>
          {plural(data.unknown, 'server')} came by other ways: what was asked for them is not known.
        </p>
      )}
      {data.next !== null && <Rest shown={data.violations.length} command={commands.violations} />}
    </Panel>
  )
}

function ViolationTable({ data }: { readonly data: Violations }) {
  return (
    <Sideways label="Broken rules by server">
      <table className={`${styles.table} ${styles.words}`}>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Host</th>
            <th scope="col">Flavor</th>
            <th scope="col">What it breaks</th>
          </tr>
        </thead>
        <tbody>
          {data.violations.map(({ instance, name, host, provider, flavor, reasons }) => (
            <tr key={`${instance} ${host}`}>
              <td>
                <ConsumerLink uuid={instance} name={name} />
              </td>
              <td>
                <Link href={`/providers/${provider}`}>{host}</Link>
              </td>
              <td>{flavor}</td>
              <td className={styles.wrapped}>
                <Reasons reasons={reasons} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sideways>
  )
}
