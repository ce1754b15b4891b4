import { normalizeUuid } from '../../kernel/uuid.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import type { Store } from '../../store/store.ts'
import type { ListedDecision } from '../../wire/decisions.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { describeAsk, describeNoPlace, findUser } from './decision-request.ts'
import { choiceBody } from './schedule-answers.ts'

export async function findDecisionOr404(store: Store, given: string, nowMs: number): Promise<DecisionRow> {
  const id = normalizeUuid(given) ?? given
  const row = await store.plainRow('decisions', [id], nowMs)
  if (row !== null) return row
  throw new Problem(404, 'decisions.missing', `There is no decision ${id}; they are kept for 14 days.`, {
    id,
  })
}

export function decisionBody(world: World, row: DecisionRow): ListedDecision {
  const user = findUser(row)
  const asked = describeAsk(world, row)
  const { users, projects } = world.identity
  return {
    id: row.id,
    kind: row.kind as ListedDecision['kind'],
    outcome: row.outcome as ListedDecision['outcome'],
    request_id: row.request_id,
    global_request_id: row.global_request_id,
    project_id: row.project_id,
    project_name: row.project_id === null ? null : (projects.find(row.project_id)?.name ?? null),
    user_id: user,
    user_name: user === null ? null : (users.find(user)?.name ?? null),
    at: new Date(row.at_ms).toISOString(),
    revision: row.revision,
    decided_revision: row.decided_revision,
    placed: (JSON.parse(row.summary) as DecisionSummary).placed,
    asked: { ...asked, names: { ...asked.names, ...findNames(world, asked.instances) } },
    reason: describeNoPlace(row),
  }
}

/** The present names, of those that are there. */
function findNames(world: World, uuids: readonly string[]): Record<string, string> {
  const names = uuids.map(
    uuid => [uuid, world.shares.findShare(uuid)?.name ?? findServerName(world, uuid)] as const,
  )
  return Object.fromEntries(names.filter((pair): pair is [string, string] => pair[1] !== null))
}

export function summaryBody(row: DecisionRow) {
  const { choice, refusal } = JSON.parse(row.summary) as DecisionSummary
  return { choice: choice === null ? null : choiceBody(choice), refusal }
}
