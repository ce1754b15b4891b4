import { type ApiAnswer, ApiError, type DescribedRoute } from '../../http/api.ts'
import { type ByteWriter, ByteWriterPool } from '../../http/formats/byte-writer.ts'
import { validateQuery } from '../../http/formats/json-body.ts'
import type { Query } from '../../http/request/query.ts'
import type { PlacementContext } from '../context.ts'
import type { Features } from '../versions.ts'
import { AnswerPieces, writeCandidates } from './answer/candidates.answer.ts'
import { parseCandidateRequest } from './candidates.query.ts'
import { candidatesAnswerSchema, candidatesQuerySchema } from './candidates.schemas.ts'
import { findCandidates } from './candidates.ts'
import { type CandidateRefusal, type CandidateRequest, type SearchSettings, searchBounds } from './request.ts'

/** A short answer is sent as a string together with its head: as bytes it takes 16 % longer. */
const SHORT_BYTES_MAX = 8 * 1024

export function candidateRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  const { world, settings, clock } = context
  const pieces = new AnswerPieces(world)
  const queries = new ParsedQueryCache(settings.max_request_groups)
  const writers = new ByteWriterPool()
  const bodyOf = (writer: ByteWriter): Pick<ApiAnswer, 'body' | 'onSent'> => {
    if (writer.size > SHORT_BYTES_MAX)
      return { body: writer.toPieces(), onSent: () => writers.release(writer) }
    const body = writer.toString()
    writers.release(writer)
    return { body }
  }
  return [
    {
      method: 'GET',
      path: '/allocation_candidates',
      operation: 'placement:allocation_candidates:list',
      since: 'allocationCandidates',
      givesJson: true,
      summary: 'List allocation candidates',
      query: candidatesQuerySchema,
      answers: features => ({ 200: candidatesAnswerSchema(features) }),
      handle(asked) {
        const { query, features } = asked
        const request = queries.parse(query, features)
        const behaviour = { nested: features.nestedCandidates, inTreeTouches: features.inTreeTouches }
        const ended = context.observer?.searching?.()
        const found = findCandidates(world, request, behaviour, searchSettings(context))
        if (found.kind === 'refused') throw unknownName(found.refusal)
        ended?.(found.candidates.length, found.steps)
        context.observer?.searched(found.candidates.length, found.steps, found.exhausted)
        if (found.candidates.length > 0)
          context.refusals?.candidatesFound(asked, found.candidates.length, world.revision)
        else context.refusals?.noCandidates(asked, request, behaviour, world.revision)
        const writer = writers.acquire()
        writeCandidates(writer, world, found, pieces, features)
        return {
          status: 200,
          ...bodyOf(writer),
          lastModifiedMs: clock.nowMs(),
          ...(found.exhausted ? { headers: { 'berth-search-exhausted': String(found.steps) } } : {}),
        }
      },
    },
  ]
}

/** How many parsed queries are cached, and the maximum length of a cached query. */
const QUERIES_MAX = 256
const QUERY_CHARS_MAX = 2_048

/**
 * Caches parsed queries by their text, because schedulers send the same query for every server of a flavor.
 * Parsing each query again makes a request for ten candidates take 12 % longer.
 */
class ParsedQueryCache {
  readonly #groupsMax: number
  readonly #known = new Map<Features, Map<string, CandidateRequest>>()
  #count = 0

  constructor(groupsMax: number) {
    this.#groupsMax = groupsMax
  }

  parse(query: Query, features: Features): CandidateRequest {
    const known = this.#known.get(features)?.get(query.text)
    if (known !== undefined) return known
    validateQuery(query, candidatesQuerySchema(features))
    const request = parseCandidateRequest(query, features, this.#groupsMax)
    if (query.text.length <= QUERY_CHARS_MAX) this.#keep(query.text, features, request)
    return request
  }

  #keep(text: string, features: Features, request: CandidateRequest): void {
    if (this.#count >= QUERIES_MAX) {
      this.#known.clear()
      this.#count = 0
    }
    const ofVersion = this.#known.get(features) ?? new Map<string, CandidateRequest>()
    this.#known.set(features, ofVersion.set(text, request))
    this.#count++
  }
}

function searchSettings({ settings, newSeed, world }: PlacementContext): SearchSettings {
  const most = settings.max_allocation_candidates
  return {
    strategy: settings.allocation_candidates_generation_strategy,
    randomSeed: settings.randomize_allocation_candidates ? newSeed() : null,
    // At least one: upstream checks the limit only after it has made a candidate.
    candidatesMax: most < 0 ? Number.POSITIVE_INFINITY : Math.max(1, most),
    stepsMax: settings.max_search_steps,
    bounds: searchBounds(settings.max_search_steps, world.providers.size),
  }
}

function unknownName(refusal: CandidateRefusal): ApiError {
  switch (refusal.kind) {
    case 'unknown-class':
      return new ApiError(
        400,
        `Invalid resource class in resources parameter: No such resource class ${refusal.name}.`,
      )
    case 'unknown-trait':
      return new ApiError(400, `No such trait(s): ${refusal.name}.`)
    default:
      return refusal satisfies never
  }
}
