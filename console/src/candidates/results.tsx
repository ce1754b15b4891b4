import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { ownValue } from '../../../src/kernel/records.ts'
import type { CandidatesAnswer } from '../../../src/wire/openstack-placement.ts'
import { Chip, Note, Panel } from '../controls/page.tsx'
import { ofClass, plural } from '../formats.ts'
import { nameBeside, resourcesText } from '../providers/consumers-panel.tsx'
import { ProviderTree, type TreeNode } from '../providers/provider-tree.tsx'
import { usePicture } from '../session/session.tsx'
import { nameOfCandidate } from './address.ts'
import styles from './candidates.module.css'

type Candidate = CandidatesAnswer['allocation_requests'][number]
type Summary = CandidatesAnswer['provider_summaries'][string] & {
  readonly parent_provider_uuid?: string | null
}

export function Results({
  answer,
  isLimited,
  chosen,
  onChoose,
}: {
  readonly answer: CandidatesAnswer
  readonly isLimited: boolean
  /** The selected candidate; null for the first. */
  readonly chosen: string | null
  readonly onChoose: (chosen: string) => void
}) {
  const { fleet } = usePicture()
  const requests = answer.allocation_requests
  const found = requests.find(one => nameOfCandidate(one.allocations) === chosen)
  const candidate = found ?? (requests[0] as Candidate)
  const nameOf = (uuid: string) => fleet.providers.get(uuid)?.name ?? uuid
  return (
    <Panel
      title={`${isLimited ? 'The first ' : ''}${plural(requests.length, 'candidate')}`}
      aside={
        <span className="soft">
          over {plural(new Set(requests.map(one => rootOf(one, answer))).size, 'host')}
          {isLimited && ', and perhaps more: the limit is reached'}
        </span>
      }
      flush
    >
      {chosen !== null && found === undefined && (
        <Note tone="warm">The candidate that was linked to is no longer among them.</Note>
      )}
      <div className={styles.results}>
        <ul className={styles.list} aria-label="Candidates">
          {requests.map((one, at) => (
            <li key={at}>
              <button
                type="button"
                className={styles.candidate}
                aria-pressed={one === candidate}
                onClick={() => onChoose(nameOfCandidate(one.allocations))}
              >
                {nameOf(rootOf(one, answer))}
                <small>
                  {Object.keys(one.allocations)
                    .map(uuid => nameBeside(fleet, rootOf(one, answer), uuid))
                    .join(', ')}
                </small>
              </button>
            </li>
          ))}
        </ul>
        <Drawn candidate={candidate} answer={answer} nameOf={nameOf} />
      </div>
    </Panel>
  )
}

/** The trees that the candidate takes from, each provider with what it gives and to which group. */
function Drawn({
  candidate,
  answer,
  nameOf,
}: {
  readonly candidate: Candidate
  readonly answer: CandidatesAnswer
  readonly nameOf: (uuid: string) => string
}) {
  const [, navigate] = useLocation()
  const roots = useMemo(() => treesOf(candidate, answer, nameOf), [candidate, answer, nameOf])
  const groupsOf = (uuid: string) =>
    Object.entries(candidate.mappings ?? {})
      .filter(([, providers]) => providers.includes(uuid))
      .map(([suffix]) => suffix)
  return (
    <div className={styles.drawn}>
      <h3>Drawn in the tree</h3>
      <ProviderTree
        roots={roots}
        label="Providers of the candidate"
        onSelect={uuid => navigate(`/providers/${uuid}`)}
        aside={uuid => {
          const taken = candidate.allocations[uuid]?.resources
          if (taken === undefined) return null
          const free = ownValue(answer.provider_summaries, uuid)?.resources ?? {}
          return (
            <>
              {groupsOf(uuid).map(suffix => (
                <Chip key={suffix} tone="accent">
                  {suffix === '' ? 'together' : suffix}
                </Chip>
              ))}
              <strong>{resourcesText(taken)}</strong>
              <span>
                of{' '}
                {Object.keys(taken)
                  .map(name => ofClass(name, (free[name]?.capacity ?? 0) - (free[name]?.used ?? 0)))
                  .join(', ')}{' '}
                free
              </span>
            </>
          )
        }}
      />
    </div>
  )
}

/** The host: the tree with most of the allocations, apart from sharing providers. */
function rootOf({ allocations }: Candidate, answer: CandidatesAnswer): string {
  const roots = Object.keys(allocations).map(
    uuid => ownValue(answer.provider_summaries, uuid)?.root_provider_uuid ?? uuid,
  )
  const counts = new Map<string, number>()
  for (const [uuid, { resources }] of Object.entries(allocations)) {
    const root = ownValue(answer.provider_summaries, uuid)?.root_provider_uuid ?? uuid
    counts.set(root, (counts.get(root) ?? 0) + Object.keys(resources).length)
  }
  return roots.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))[0] as string
}

function treesOf(
  { allocations }: Candidate,
  { provider_summaries: summaries }: CandidatesAnswer,
  nameOf: (uuid: string) => string,
): TreeNode[] {
  const roots = [
    ...new Set(Object.keys(allocations).map(uuid => ownValue(summaries, uuid)?.root_provider_uuid ?? uuid)),
  ]
  const children = new Map<string, string[]>()
  for (const [uuid, summary] of Object.entries(summaries)) {
    const parent = (summary as Summary).parent_provider_uuid
    if (parent != null) children.set(parent, [...(children.get(parent) ?? []), uuid])
  }
  const node = (uuid: string): TreeNode => ({
    uuid,
    name: nameOf(uuid),
    children: (children.get(uuid) ?? [])
      .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
      .map(node),
  })
  return roots.map(node)
}
