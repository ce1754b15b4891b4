import { ApiError } from '../../http/api.ts'
import { validateQuery } from '../../http/formats/json-body.ts'
import type { Policy } from '../../http/policy.ts'
import { negotiate, parseRange } from '../../http/request/microversion.ts'
import type { Query } from '../../http/request/query.ts'
import { traceStep } from '../../http/tracing/span.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { parseCandidateRequest } from '../../placement/candidates/candidates.query.ts'
import { candidatesQuerySchema } from '../../placement/candidates/candidates.schemas.ts'
import type { CandidateRefusal, CandidateRequest } from '../../placement/candidates/request.ts'
import type { PlacementContext } from '../../placement/context.ts'
import { type Explanation, explain } from '../../placement/explain/explain.ts'
import { type Features, featuresOf, type InTreeMeaning, versions } from '../../placement/versions.ts'
import { explanationShape } from '../../wire/explanation.ts'
import { pauseInTurns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { countsBody, explainBusy, explanationBody, GROUPS_MAX } from './explanation.ts'

/** Limits how much explanations slow down other requests. */
const EXPLAINS_AT_ONCE_MAX = 2

const VERSIONS = parseRange(versions.min, versions.max)

/** Explains queries for candidates, few at once. */
export class QueryExplainer {
  readonly #context: PlacementContext
  readonly #permits = new Semaphore(EXPLAINS_AT_ONCE_MAX)

  constructor(context: PlacementContext) {
    this.#context = context
  }

  /**
   * `version` is the version header of the query; without one, the newest version applies. Throws a Problem
   * if there is no explanation.
   */
  async explain(query: Query, version: string | undefined): Promise<Explanation> {
    const { world, settings } = this.#context
    const features = negotiateFeatures(version, settings.in_tree_meaning)
    const request = parseCandidatesQuery(query, features, settings.max_request_groups)
    const count = request.groups.length
    if (count > GROUPS_MAX)
      throw new Problem(
        400,
        'explain.too-many-groups',
        `The query has ${count} groups, and at most ${GROUPS_MAX} can be explained.`,
        { count, max: GROUPS_MAX },
      )
    const behaviour = { nested: features.nestedCandidates, inTreeTouches: features.inTreeTouches }
    const explained = await this.#permits.run(
      () => traceStep('explain', () => explain(world, request, behaviour, pauseInTurns())),
      explainBusy,
    )
    if (explained.kind === 'refused') throw toProblem(explained.refusal)
    if (explained.kind === 'too-costly')
      throw new Problem(
        400,
        'explain.too-costly',
        'This request is too complex to explain: use fewer groups.',
      )
    if (explained.kind === 'restless')
      throw new Problem(
        503,
        'explain.restless',
        'The cloud changed before the explanation was complete, several times: try again.',
      )
    return explained
  }
}

export function explainRoutes(
  { world }: PlacementContext,
  explainer: QueryExplainer,
  policy: Policy,
): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/explain/allocation_candidates',
      operation: 'berth:explain',
      summary: 'Explain the candidates of a request, or why there are none',
      description:
        'Takes any query of `GET /allocation_candidates`, at the newest microversion unless the header ' +
        '`OpenStack-API-Version` names another. Returns how many trees and providers each part of the request ' +
        'leaves, which trees come closest and what they lack, and which single changes would give a ' +
        'candidate; each change was tried. Callers who may not see hosts get counts and the numbers of the ' +
        'request only.',
      anyQuery: true,
      headers: {
        'openstack-api-version':
          'The version of the candidates query, such as `placement 1.39`; default: the newest.',
      },
      answer: { description: 'The explanation.', shape: explanationShape },
      problems: {
        400: `The query is not one for candidates, has more than ${GROUPS_MAX} groups, or is too complex to explain.`,
        503: 'Too many explanations are running, or the cloud changes too fast: try again.',
      },
      async handle({ rawQuery, headers, credentials }) {
        const header = headers['openstack-api-version']
        const explained = await explainer.explain(rawQuery, typeof header === 'string' ? header : undefined)
        const target = { project_id: credentials.projectId }
        const mayKnow = policy.allows('berth:explain:hosts', credentials, target)
        return mayKnow ? explanationBody(world, explained) : countsBody(explained)
      },
    }),
  ]
}

function negotiateFeatures(header: string | undefined, inTree: InTreeMeaning): Features {
  const agreed = negotiate(header ?? 'placement latest', 'placement', VERSIONS)
  if (agreed.kind !== 'agreed')
    throw new Problem(400, 'explain.version', `there is no version ${agreed.asked} of placement`)
  const features = featuresOf(agreed.minor, inTree)
  if (!features.allocationCandidates)
    throw new Problem(400, 'explain.version', 'candidates exist since version 1.10 of placement')
  return features
}

function parseCandidatesQuery(query: Query, features: Features, groupsMax: number): CandidateRequest {
  try {
    validateQuery(query, candidatesQuerySchema(features))
    return parseCandidateRequest(query, features, groupsMax)
  } catch (error) {
    if (error instanceof ApiError) throw new Problem(error.status, 'request.invalid', error.message)
    throw error
  }
}

function toProblem(refusal: CandidateRefusal): Problem {
  const what = refusal.kind === 'unknown-class' ? 'resource class' : 'trait'
  return new Problem(400, `explain.${refusal.kind}`, `there is no ${what} ${refusal.name}`, {
    name: refusal.name,
  })
}
