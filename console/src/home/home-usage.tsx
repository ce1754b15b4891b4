import { useQuery } from '@tanstack/react-query'
import { ownValue } from '../../../src/kernel/records.ts'
import type { ProjectFacts } from '../../../src/wire/projects.ts'
import { readProject } from '../api/projects.ts'
import { FactList } from '../controls/fact-list.tsx'
import { Panel, Waiting } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { levelWord } from '../controls/usage-bar.tsx'
import { momentText, ofClass, percent, plural } from '../formats.ts'
import page from '../providers/provider-page.module.css'

/** The title of a resource, and the class whose unit it has. */
const WORDS: Readonly<Record<string, readonly [title: string, unit: string]>> = {
  instances: ['Servers', ''],
  cores: ['Processors', ''],
  ram: ['Memory', 'MEMORY_MB'],
  disk: ['Disk', 'DISK_GB'],
  server_groups: ['Server groups', ''],
  shares: ['Shares', ''],
  gigabytes: ['Share space', 'DISK_GB'],
  snapshots: ['Snapshots', ''],
  snapshot_gigabytes: ['Snapshot space', 'DISK_GB'],
}

export function HomeUsage({ project }: { readonly project: string }) {
  const query = useQuery({ queryKey: ['projects', project, 'usage'], queryFn: () => readProject(project) })
  const reservations = query.data?.reservations ?? []
  return (
    <>
      <Panel title="Used, and the limit" flush>
        {query.data === undefined ? (
          <Waiting query={query} what="the usage" />
        ) : (
          <Sideways label="Usage">
            <table className={page.table}>
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">Used</th>
                  <th scope="col">Limit</th>
                  <th scope="col">Share of it</th>
                </tr>
              </thead>
              <tbody>
                {[...query.data.compute, ...query.data.shares].map(one => (
                  <Row key={one.resource} quota={one} />
                ))}
              </tbody>
            </table>
          </Sideways>
        )}
      </Panel>
      {reservations.length > 0 && (
        <Panel title="Reserved for this project">
          <FactList facts={reservations.map(one => [one.name, describeReservation(one)] as const)} />
        </Panel>
      )}
    </>
  )
}

function describeReservation({
  flavor,
  count,
  held,
  used,
  until,
}: ProjectFacts['reservations'][number]): string {
  const places = `${plural(count, 'place')}${flavor === '' ? '' : ` for ${flavor}`}: ${held} free, ${used} used`
  return until === null ? places : `${places}, until ${momentText(until)}`
}

function Row({ quota: { resource, used, limit } }: { readonly quota: ProjectFacts['compute'][number] }) {
  const [title, unit] = ownValue(WORDS, resource) ?? [resource, '']
  const share = limit === null || limit === 0 ? null : used / limit
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{ofClass(unit, used)}</td>
      <td>{limit === null ? <span className="soft">none here</span> : ofClass(unit, limit)}</td>
      <td>{share === null ? '–' : `${percent(share)}, ${share >= 1 ? 'full' : levelWord(share)}`}</td>
    </tr>
  )
}
