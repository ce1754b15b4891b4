import { type ApiAnswer, ApiError, type Route } from '../../http/api.ts'
import { type ByteWriter, ByteWriters } from '../../http/byte-writer.ts'
import { validateQuery } from '../../http/json-body.ts'
import type { PlacementContext } from '../context.ts'
import type { Features } from '../versions.ts'
import { writeCandidates } from './candidates.answer.ts'
import { parseCandidateRequest } from './candidates.query.ts'
import { candidatesQuerySchema } from './candidates.schemas.ts'
import { findCandidates } from './candidates.ts'
import { SummaryFragments } from './fragments.ts'
import type { CandidateRefusal, SearchSettings } from './request.ts'

/** A short answer is cheaper as text, which leaves in one piece with its head. */
const SHORT_BYTES_MAX = 8 * 1024

export function candidateRoutes(context: PlacementContext): Route<Features>[] {
  const { world, settings, clock } = context
  const fragments = new SummaryFragments(world)
  const writers = new ByteWriters()
  const bodyOf = (writer: ByteWriter): Pick<ApiAnswer, 'body' | 'sent'> => {
    if (writer.length > SHORT_BYTES_MAX)
      return { body: writer.written(), sent: () => writers.giveBack(writer) }
    const body = writer.toString()
    writers.giveBack(writer)
    return { body }
  }
  return [
    {
      method: 'GET',
      path: '/allocation_candidates',
      operation: 'placement:allocation_candidates:list',
      since: 'allocationCandidates',
      givesJson: true,
      handle({ query, features }) {
        validateQuery(query, candidatesQuerySchema(features))
        const request = parseCandidateRequest(query, features, settings.max_request_groups)
        const behaviour = { nested: features.nestedCandidates, inTreeTouches: features.inTreeTouches }
        const found = findCandidates(world, request, behaviour, searchSettings(context))
        if (found.kind === 'refused') throw unknownName(found.refusal)
        context.observer?.searched(found.candidates.length, found.steps, found.exhausted)
        const writer = writers.take()
        writeCandidates(writer, world, found, fragments, features)
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

function searchSettings({ settings, newSeed }: PlacementContext): SearchSettings {
  const most = settings.max_allocation_candidates
  return {
    strategy: settings.allocation_candidates_generation_strategy,
    randomSeed: settings.randomize_allocation_candidates ? newSeed() : null,
    // As upstream, which looks only after it has made one.
    candidatesMax: most < 0 ? Number.POSITIVE_INFINITY : Math.max(1, most),
    stepsMax: settings.max_search_steps,
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
