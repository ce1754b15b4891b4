import type { NovaDecision } from '../../scheduling/decisions/nova.rows.ts'
import type { KeptClaimRefusal, SearchRefusal } from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import type { BootStage } from '../../wire/boot.ts'
import type { Explanation } from '../../wire/explanation.ts'
import { listServers } from './boot-decisions.rows.ts'

/**
 * The stages that a project may see, without hosts, aggregates and internal identifiers. Placement does not
 * know the project of a search, so a search is shown only to callers who know the id of its request, and only
 * if the request has no stages of another project.
 */
export function redactStages(
  rows: readonly DecisionRow[],
  project: string | null,
  isByRequest: boolean,
): BootStage[] {
  const isForeign = rows.some(({ project_id }) => project_id !== null && project_id !== project)
  return rows
    .filter(row => (row.project_id === null ? isByRequest && !isForeign : row.project_id === project))
    .filter(({ kind }) => kind === 'candidates' || kind === 'nova-filter' || kind === 'claim')
    .map(redactStage)
}

const redactStage = (row: DecisionRow): BootStage => ({
  at: new Date(row.at_ms).toISOString(),
  kind: row.kind as BootStage['kind'],
  outcome: row.outcome as BootStage['outcome'],
  ...describe(row),
  servers: row.project_id === null ? [] : listServers(row),
  decision: null,
  query: null,
  user: null,
  request_id: null,
  global_request_id: null,
  revision: null,
  explained_revision: null,
})

function describe({ kind, outcome, summary }: DecisionRow): Pick<BootStage, 'text' | 'lines'> {
  const refused = outcome === 'refused'
  const { refusal } = JSON.parse(summary) as DecisionSummary
  switch (kind) {
    case 'candidates':
      return {
        text: refused ? 'No host has what was asked for.' : 'Some hosts had what was asked for.',
        lines: refused ? listOwnParts(refusal as SearchRefusal<Explanation>) : [],
      }
    case 'nova-filter': {
      const reasons = (refusal?.reasons ?? []) as NovaDecision['reasons']
      return {
        text: refused ? 'A filter refused every host that was left.' : 'Some hosts passed the filters.',
        lines: [...new Set(reasons.map(({ filter }) => `${filter} refused hosts.`))],
      }
    }
    default:
      return { text: describeClaim(refusal as KeptClaimRefusal), lines: [] }
  }
}

/** Resources and traits come from the flavor; other parts name hosts or aggregates. */
const OWN_PARTS = new Set(['resource', 'trait', 'forbidden-trait', 'root-trait', 'root-forbidden-trait'])

const listOwnParts = ({ explained }: SearchRefusal<Explanation>): string[] =>
  (explained?.funnel ?? [])
    .filter(({ verdict }) => verdict === 'blocks')
    .map(({ constraint, text }) =>
      typeof constraint.kind === 'string' && OWN_PARTS.has(constraint.kind)
        ? `Without this alone there would be a host: ${text}.`
        : 'Without the limits to certain hosts or zones there would be a host.',
    )

function describeClaim({ kind }: KeptClaimRefusal): string {
  if (kind === 'over-capacity') return 'Another request took the capacity.'
  if (kind === 'group-policy') return 'The policy of the server group does not allow the host.'
  return 'The host could not be claimed.'
}
