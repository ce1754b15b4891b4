import type { Policy } from '../../http/policy.ts'
import { Query } from '../../http/request/query.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isUuidLike, normalizeUuid } from '../../kernel/uuid.ts'
import type { KeptSearch } from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionRow } from '../../scheduling/decisions/rows.ts'
import type { Store } from '../../store/store.ts'
import { type Boot, type BootStage, bootShape } from '../../wire/boot.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { findBootDecisions } from './boot-decisions.rows.ts'
import { adviseOn, renderSearch, renderStage } from './boot-stages.ts'
import type { QueryExplainer } from './explain.routes.ts'
import { explanationBody } from './explanation.ts'
import type { RecentSearch } from './recent-searches.ts'
import { redactStages } from './redacted-boot.ts'

interface BootContext {
  readonly world: World
  readonly store: () => Store
  readonly clock: Clock
  readonly policy: Policy
  readonly explainer: QueryExplainer
  /** Successful searches of a request that are not stored as decisions. */
  readonly findSearches: (globalRequestId: string) => readonly RecentSearch[]
}

const REQUEST_ID = /^req-[\w.-]{1,60}$/
const SERVERS_SHOWN = 20

/** The rule for the redacted form. */
const OWN_BOOT = 'berth:explain:boot:own'

export const explainBootRoutes = (context: BootContext): V1Route[] => [
  v1Route({
    method: 'GET',
    path: '/explain/boot/{id}',
    operation: 'berth:explain',
    summary: 'Explain all stages of one boot of Nova',
    description:
      'What Placement was asked, what the filters answered, and which claim was refused, in order; then what Placement would find now. ' +
      'The id is that of the request, as `openstack server event list` prints it, or that of the server. Nova does not name the server to ' +
      'Placement before there are candidates: look up a boot without candidates by its request. Callers who may not see hosts need ' +
      `\`${OWN_BOOT}\`, which no role has by default, and get their own boots without hosts.`,
    params: { id: 'A request id, `req-...`, or the uuid of a server.' },
    answer: { description: 'The stages.', shape: bootShape },
    problems: {
      400: 'The id is neither.',
      404: 'Nothing is known about it, or nothing that the caller may see.',
    },
    async handle({ params, credentials }) {
      const id = requireId(params.id as string)
      const { policy } = context
      const project = credentials.projectId
      const { rows, isCut } = await findBootDecisions(context.store(), id, context.clock.nowMs())
      if (policy.allows('berth:explain:hosts', credentials, { project_id: project }))
        return explainBoot(context, id, rows, isCut)
      if (!policy.allows(OWN_BOOT, credentials, { project_id: project }))
        throw new Problem(403, 'policy.forbidden', `Policy does not allow ${OWN_BOOT} to be performed.`, {
          operation: OWN_BOOT,
        })
      const stages = redactStages(rows, project, !isUuidLike(id))
      if (stages.length === 0) throw unknownBoot(id)
      return { id, redacted: true, stages, is_cut: isCut, servers: [], now: null, advice: [] }
    },
  }),
]

function requireId(given: string): string {
  const id = isUuidLike(given) ? (normalizeUuid(given) ?? given) : given
  if (isUuidLike(id) || REQUEST_ID.test(id)) return id
  throw new Problem(
    400,
    'boot.id',
    'id: it is neither a request id such as req-0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c nor the uuid of a server',
    { field: 'id', value: given.slice(0, 100) },
  )
}

const unknownBoot = (id: string): Problem =>
  new Problem(
    404,
    'boot.unknown',
    isUuidLike(id)
      ? `Nothing is known about server ${id}. Nova names a server only after Placement found candidates: ask with the request id that 'openstack server event list' prints.`
      : `Nothing is known about ${id}. Berth keeps refused requests and what its plug-in for Nova asked, for 14 days; if Placement found candidates and Nova's own filters removed them, the log of nova-scheduler has it.`,
    { id },
  )

async function explainBoot(
  context: BootContext,
  id: string,
  rows: readonly DecisionRow[],
  isCut: boolean,
): Promise<Boot> {
  const { world } = context
  const unkept = context.findSearches(id)
  const stages = [...unkept.map(renderSearch), ...rows.map(row => renderStage(world, row))].sort(byTime)
  if (stages.length === 0) throw unknownBoot(id)
  const named = new Set(stages.flatMap(stage => stage.servers))
  if (isUuidLike(id)) named.add(id)
  const servers = [...named]
    .slice(0, SERVERS_SHOWN)
    .map(server => ({ server, hosts: listHosts(world, server) }))
  const { now, trouble } = await searchAgain(context, rows, unkept)
  const refused = rows.filter(({ outcome }) => outcome === 'refused')
  return {
    id,
    redacted: false,
    stages,
    is_cut: isCut,
    servers,
    now,
    advice: [
      ...new Set(refused.flatMap(adviseOn)),
      ...trouble,
      ...(refused.length === 0 ? [NOTHING_REFUSED] : []),
    ],
  }
}

const NOTHING_REFUSED =
  'Berth refused nothing here. If the boot failed, see the log of nova-scheduler for its own filters, and that of nova-compute for the build.'

/** Sorting is stable, so stages of the same millisecond keep their order. */
const byTime = (a: BootStage, b: BootStage): number => Date.parse(a.at) - Date.parse(b.at)

function listHosts({ consumers, providers }: World, server: string): string[] {
  const slot = consumers.find(server)
  if (slot === undefined) return []
  const roots = consumers.holdings(slot).map(({ provider }) => providers.rootOf(provider))
  return [...new Set(roots)].map(root => providers.name(root))
}

/** Repeats the newest search with a known query on the present state. */
async function searchAgain(
  { world, explainer }: BootContext,
  rows: readonly DecisionRow[],
  unkept: readonly RecentSearch[],
): Promise<{ readonly now: Boot['now']; readonly trouble: readonly string[] }> {
  const kept = rows.filter(({ kind }) => kind === 'candidates')
  const searches = [
    ...kept.map(row => JSON.parse(row.request) as KeptSearch),
    ...unkept.map(({ search }) => search),
  ]
  const last = searches.findLast(({ query }) => query !== null)
  const query = last === undefined ? null : Query.parse(last.query as string)
  if (last === undefined || query === null) return { now: null, trouble: [] }
  try {
    const explained = await explainer.explain(query, last.version ?? 'placement 1.0')
    const { revision, candidates, capped, changes } = explanationBody(world, explained)
    return { now: { revision, candidates, capped, changes: changes.map(({ text }) => text) }, trouble: [] }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { now: null, trouble: [`The search could not be made again: ${error.message}`] }
  }
}
