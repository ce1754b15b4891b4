import { isUuidLike } from '../../../kernel/uuid.ts'
import { getMember, isList, type JsonObject, type JsonValue } from '../../framework/json-value.ts'
import type { Hints } from '../request-view.ts'

/** An empty or invalid hint: where, and its value. */
interface HintFault {
  readonly code: 'not-a-uuid'
  readonly hint: string
  readonly value: JsonValue
}

/**
 * The hints of a request, and their faults. Other hints are ignored: see `findUnreadHints` in the registry. Accepts Nova's lists
 * of one value everywhere.
 */
export function readHints(given: JsonObject): {
  readonly hints: Hints
  readonly faults: readonly HintFault[]
} {
  const faults: HintFault[] = []
  const uuids = (hint: string): string[] => {
    const value = getMember(given, hint) ?? null
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
    query: readQuery(given),
  }
  return { hints, faults }
}

/** A list with one text is that text; any other list is itself a query. */
export function readQuery(given: JsonObject): JsonValue {
  const query = getMember(given, 'query') ?? null
  return isList(query) && query.length === 1 && typeof query[0] === 'string' ? query[0] : query
}
