import { countText } from '../../kernel/count-text.ts'
import type { NovaDecision } from '../../scheduling/decisions/nova.rows.ts'
import type {
  KeptClaim,
  KeptClaimRefusal,
  KeptSearch,
  SearchRefusal,
} from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import type { BootStage } from '../../wire/boot.ts'
import type { Explanation } from '../../wire/explanation.ts'
import type { World } from '../../world/world.ts'
import { describeNoPlace, writeQuery } from '../schedule/decision-request.ts'
import { listServers } from './boot-decisions.rows.ts'
import type { RecentSearch } from './recent-searches.ts'

const NEAREST_SHOWN = 3

/** A decision as a stage of a boot. */
export function renderStage(world: World, row: DecisionRow): BootStage {
  const isSearch = row.kind === 'candidates'
  const kept = JSON.parse(row.request) as Partial<KeptSearch & KeptClaim>
  return {
    at: new Date(row.at_ms).toISOString(),
    kind: row.kind as BootStage['kind'],
    outcome: row.outcome as BootStage['outcome'],
    text: describeNoPlace(row) ?? describeSuccess(row),
    lines: listLines(world, row),
    servers: listServers(row),
    decision: row.id,
    query: isSearch ? writeQuery(kept.query ?? null) : null,
    user: isSearch || row.kind === 'claim' ? (kept.user ?? null) : null,
    request_id: row.request_id,
    global_request_id: row.global_request_id,
    revision: row.revision,
    explained_revision: isSearch && row.outcome === 'refused' ? row.decided_revision : null,
  }
}

/** A successful search that was not stored as a decision. */
export const renderSearch = ({ search, ...call }: RecentSearch): BootStage => ({
  at: new Date(call.atMs).toISOString(),
  kind: 'candidates',
  outcome: 'passed',
  text: foundText(search.found),
  lines: [],
  servers: [],
  decision: null,
  query: writeQuery(search.query),
  user: search.user,
  request_id: call.requestId,
  global_request_id: call.globalRequestId,
  revision: call.revision,
  explained_revision: null,
})

const foundText = (found: number): string => `Placement found ${countText(found, 'candidate')}.`

function describeSuccess({ kind, request, summary }: DecisionRow): string {
  const { placed, choice } = JSON.parse(summary) as DecisionSummary
  if (kind === 'candidates') return foundText((JSON.parse(request) as KeptSearch).found)
  if ((kind === 'nova-filter' || kind === 'manila-filter') && choice !== null)
    return `${choice.funnel.at(-1)?.after ?? choice.candidates} of ${choice.candidates} ${kind === 'nova-filter' ? 'hosts' : 'pools'} pass the filters of Berth.`
  return `Placed on ${placed.map(({ host }) => host).join(', ')}.`
}

function listLines(world: World, { kind, request, summary }: DecisionRow): string[] {
  const { choice, refusal } = JSON.parse(summary) as DecisionSummary
  switch (kind) {
    case 'candidates':
      return refusal === null ? [] : listSearchLines(refusal as SearchRefusal<Explanation>)
    case 'nova-filter': {
      const reasons = (refusal?.reasons ?? []) as NovaDecision['reasons']
      if (reasons.length > 0)
        return reasons.map(({ filter, hosts, text }) => `${filter}, ${countHosts(hosts)}: ${text}`)
      return (choice?.funnel ?? [])
        .filter(({ before, after }) => after < before)
        .map(({ filter, before, after }) => `${filter}: ${before} → ${after} hosts`)
    }
    case 'claim': {
      const { provider } = refusal as KeptClaimRefusal
      const { providers } = JSON.parse(request) as KeptClaim
      const named = provider === null ? providers : [provider]
      return named.slice(0, NEAREST_SHOWN).map(uuid => `${uuid} is ${nameHost(world, uuid)}.`)
    }
    default:
      return []
  }
}

const countHosts = (hosts: number): string => countText(hosts, 'host')

function nameHost({ providers }: World, uuid: string): string {
  const slot = providers.find(uuid)
  return slot === undefined ? 'a provider that is gone' : providers.name(slot)
}

function listSearchLines({ explained }: SearchRefusal<Explanation>): string[] {
  if (explained === null) return []
  const { funnel, nearest = [] } = explained
  return [
    ...funnel.map(
      ({ text, trees_before, trees_after, verdict }) =>
        `${text}: ${trees_before} → ${trees_after} trees (${verdict})`,
    ),
    ...nearest
      .slice(0, NEAREST_SHOWN)
      .map(({ misses }) => `nearest: ${misses.map(({ text }) => text).join('; ')}`),
  ]
}

/** Advice after a refusal, for decisions that cannot be searched again on the present state. */
export function adviseOn(row: DecisionRow): string[] {
  const { refusal } = JSON.parse(row.summary) as DecisionSummary
  if (refusal === null) return []
  if (row.kind === 'nova-filter') {
    const reasons = (refusal.reasons ?? []) as NovaDecision['reasons']
    return [...new Set(reasons.flatMap(({ remedy }) => remedy ?? []))]
  }
  return row.kind === 'claim' ? adviseOnClaim(refusal.kind) : []
}

function adviseOnClaim(kind: string): string[] {
  switch (kind) {
    case 'over-capacity':
      return ['Another claim was faster. Nova goes on to its next host; if it had none left, boot again.']
    case 'group-policy':
      return [
        'Nova goes on to its next host. If all hosts that fit have members of the server group already, add hosts, raise max_server_per_host, or use a soft policy.',
      ]
    case 'consumer-generation':
      return ['Two requests changed the allocations of the server at once. Nova repeats the claim.']
    case 'owned':
      return ['The allocations belong to another service of Berth, which alone changes them.']
    default:
      return ['The inventory of the host changed after the search. Boot again.']
  }
}
