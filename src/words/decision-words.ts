import type { ListedDecision } from '../wire/decisions.ts'
import type { HostReport } from '../wire/schedule-explanation.ts'
import type { Choice } from '../wire/scheduling.ts'

/** Words that the command line and the console share. */

export const verdictWords: Readonly<Record<HostReport['verdict'], string>> = {
  passes: 'passes',
  refused: 'refused',
  'no-room': 'no room',
  'left-out': 'left out',
}

/** The names of users and projects where they are known, else their ids. */
export function whoText({ user_name, user_id, project_name, project_id }: ListedDecision): string {
  const user = user_name ?? user_id
  const project = project_name ?? project_id
  if (user === null) return project ?? '–'
  return project === null ? user : `${user}, ${project}`
}

type TopHost = Choice['top'][number]

/** By how much the first host was ahead of the second, and which weigher made the difference. */
export function marginText(top: Choice['top']): string {
  const [first, second] = top
  if (first === undefined) return 'No host passed.'
  if (second === undefined) return `${first.host} was the only host that passed.`
  const ahead = first.weight - second.weight
  if (ahead === 0)
    return `${first.host} and ${second.host} had the same weight: the first in order was taken.`
  const by = findBiggestDifference(first, second)
  return `${first.host} was ahead of ${second.host} by ${ahead.toFixed(3)}${by === null ? '' : `, mostly by ${by}`}.`
}

function findBiggestDifference(first: TopHost, second: TopHost): string | null {
  const others = new Map(second.weighers.map(({ weigher, weight }) => [weigher, weight]))
  const [most] = first.weighers
    .map(({ weigher, weight }) => ({ weigher, by: weight - (others.get(weigher) ?? 0) }))
    .sort((one, other) => other.by - one.by)
  return most === undefined || others.size === 0 || most.by <= 0 ? null : most.weigher
}
