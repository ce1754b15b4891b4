import { isUuidLike } from '../../../kernel/uuid.ts'
import { isList, type JsonObject, type JsonValue, memberOf } from '../../framework/json-value.ts'
import type { Hints } from '../request-view.ts'

/** A hint that says nothing: where in it, and what stands there. */
interface HintFault {
  readonly code: 'not-a-uuid'
  readonly hint: string
  readonly value: JsonValue
}

/**
 * The hints of a request, and all that is wrong with them. Other hints are somebody else's: see `unreadHints` in the
 * registry. Nova's way to put one value into a list is understood everywhere.
 */
export function readHints(given: JsonObject): {
  readonly hints: Hints
  readonly faults: readonly HintFault[]
} {
  const faults: HintFault[] = []
  const uuids = (hint: string): string[] => {
    const value = memberOf(given, hint) ?? null
    const all = isList(value) ? value : value === null ? [] : [value]
    return all.flatMap(one => {
      if (isUuidLike(one)) return [one]
      faults.push({ code: 'not-a-uuid', hint, value: one })
      return []
    })
  }
  const hints = {
    sameHost: uuids('same_host'),
    differentHost: uuids('different_host'),
    query: queryIn(given),
  }
  return { hints, faults }
}

/** A list of one text is the text; every other list is a query itself. */
export function queryIn(given: JsonObject): JsonValue {
  const query = memberOf(given, 'query') ?? null
  return isList(query) && query.length === 1 && typeof query[0] === 'string' ? query[0] : query
}
