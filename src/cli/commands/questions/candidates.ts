import { InvalidArgumentError } from 'commander'
import { emptyRecord, ownValue } from '../../../kernel/records.ts'
import type { NamedProvider } from '../../../wire/explanation.ts'
import type { ByClass, CandidatesAnswer } from '../../../wire/openstack-placement.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { resourcesText } from '../../render/inventories.ts'
import { type Column, flexible, type Look, right, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { namesOf } from '../ledger/providers-by-name.ts'
import {
  addCandidateOptions,
  CANDIDATE_NOTES,
  type CandidateOptions,
  candidateNames,
  candidateQuery,
} from './candidate-query.ts'

const LIMIT = 100

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Finds where a request fits: for each candidate the providers, their amounts, and what each ' +
      'provider has free now.',
    notes: CANDIDATE_NOTES,
    json:
      '{"candidates": [{"allocations": [{"provider": {"uuid", "name"}, "root": {"uuid", "name"},\n' +
      '"resources": {CLASS: amount}, "free": {CLASS: amount}, "groups": [SUFFIX, ...]}]}],\n' +
      '"limit": null or number}.',
    examples: [
      'berth candidates --resources VCPU:2,MEMORY_MB:4096,DISK_GB:20',
      "berth candidates --resources VCPU:2 --required 'HW_CPU_X86_AVX2,!CUSTOM_OLD' --required in:CUSTOM_A,CUSTOM_B",
      'berth candidates --resources VCPU:2 --group _NET resources=SRIOV_NET_VF:1 required=CUSTOM_PHYSNET_A \\',
      "  --group _GPU 'resources=VGPU:1;in_tree=compute-1' --group-policy isolate",
      "berth candidates --query 'resources=VCPU:2&limit=5' --json",
    ],
    exits: [exitCodes.nothing],
  })
  addCandidateOptions(command).option(
    '--limit <number>',
    `The largest number, or \`none\` for all. (default: ${LIMIT})`,
    parseLimit,
  )
  whenRun(command, around, end, async (session, options: CandidateOptions & { limit?: Limit }) => {
    const placement = await session.placement()
    const asked = await candidateQuery(options, candidateNames(session))
    // A raw query has its own limit, or none.
    const limit = options.limit ?? (options.query === undefined ? LIMIT : 'none')
    const query = limit === 'none' ? asked : `${asked}&limit=${limit}`
    const answer = await placement.candidates(query, options.microversion ?? null)
    const names = await namesOf(session, providersIn(answer))
    const candidates = candidatesOf(answer, names)
    session.print({ candidates, limit: limit === 'none' ? null : limit }, look =>
      candidateTable(candidates, look),
    )
    if (candidates.length === 0) {
      session.note("no candidate: 'berth explain' with the same options says why")
      return exitCodes.nothing
    }
    if (candidates.length === limit && !session.asJson)
      session.note(`the first ${limit} candidates; --limit none shows all`)
    return exitCodes.ok
  })
}

type Limit = number | 'none'

function parseLimit(text: string): Limit {
  if (text === 'none') return text
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Write a whole number of 1 or more, or none.')
  return Number(text)
}

export interface Candidate {
  readonly allocations: readonly {
    readonly provider: NamedProvider
    readonly root: NamedProvider
    readonly resources: ByClass<number>
    /** For the same classes. */
    readonly free: ByClass<number>
    /** The suffixes of the groups that it serves. */
    readonly groups: readonly string[]
  }[]
}

/**
 * All providers that may need a name: those with allocations, those that only serve groups, and the roots of
 * both.
 */
function providersIn({ allocation_requests, provider_summaries }: CandidatesAnswer): Set<string> {
  const used = new Set<string>()
  for (const { allocations, mappings } of allocation_requests) {
    for (const uuid of Object.keys(allocations)) used.add(uuid)
    for (const uuid of Object.values(mappings ?? {}).flat()) used.add(uuid)
  }
  for (const uuid of [...used]) used.add(ownValue(provider_summaries, uuid)?.root_provider_uuid ?? uuid)
  return used
}

export function candidatesOf(answer: CandidatesAnswer, names: ReadonlyMap<string, string>): Candidate[] {
  const nameProvider = (uuid: string): NamedProvider => ({ uuid, name: names.get(uuid) ?? uuid })
  return answer.allocation_requests.map(({ allocations, mappings }) => {
    const groups = Object.entries(mappings ?? {})
    // A group without resources maps to a provider without allocations.
    const uuids = new Set([...Object.keys(allocations), ...groups.flatMap(([, mapped]) => mapped)])
    return {
      allocations: [...uuids].map(uuid => {
        const resources = allocations[uuid]?.resources ?? {}
        const summary = ownValue(answer.provider_summaries, uuid)
        return {
          provider: nameProvider(uuid),
          root: nameProvider(summary?.root_provider_uuid ?? uuid),
          resources,
          free: freeOf(resources, summary),
          groups: groups.filter(([, mapped]) => mapped.includes(uuid)).map(([suffix]) => suffix),
        }
      }),
    }
  })
}

function freeOf(
  asked: ByClass<number>,
  summary: CandidatesAnswer['provider_summaries'][string] | undefined,
): ByClass<number> {
  const free: Record<string, number> = emptyRecord()
  for (const name of Object.keys(asked)) {
    const one = summary?.resources[name]
    if (one !== undefined) free[name] = one.capacity - one.used
  }
  return free
}

/** One row per provider; the first row of each candidate has its number. */
export function candidateTable(candidates: readonly Candidate[], look: Look): string {
  const grouped = candidates.some(({ allocations }) =>
    allocations.some(({ groups }) => groups.some(suffix => suffix !== '')),
  )
  const columns: Column[] = [
    right('#'),
    flexible('HOST'),
    flexible('PROVIDER'),
    ...(grouped ? [flexible('GROUPS')] : []),
    flexible('RESOURCES'),
    flexible('FREE NOW'),
  ]
  const rows = candidates.flatMap(({ allocations }, number) =>
    allocations.map(({ provider, root, resources, free, groups }, at) => [
      at === 0 ? String(number + 1) : '',
      root.name,
      provider.name,
      ...(grouped ? [groups.map(suffix => (suffix === '' ? '(none)' : suffix)).join(' ')] : []),
      resourcesText(resources),
      resourcesText(free),
    ]),
  )
  return table(columns, rows, look)
}
