import type { SchedulingRequest } from './request-view.ts'

/** What a kind of request names: see `KnownQueries`. Only these are equal for all requests of a kind. */
const KIND_FIELDS = [
  'operation',
  'flavor',
  'zone',
  'targetHost',
  'hints',
  'image',
  'isVolumeBacked',
  'group',
] as const satisfies readonly (keyof SchedulingRequest)[]

/** Anything else, such as who asks, and for which server. */
export type CallerField = Exclude<keyof SchedulingRequest, (typeof KIND_FIELDS)[number]>
export type Caller = Pick<SchedulingRequest, CallerField>

const isKindField = (field: string): boolean => KIND_FIELDS.some(one => one === field)

/**
 * A request that stands for all of its kind. Notes which fields of the caller are read, since what was computed from these
 * is for that caller only.
 */
export class WatchedRequest {
  /** For filters and weighers. */
  readonly request: SchedulingRequest
  readonly read = new Set<CallerField>()
  /** Set before anything reads the request. */
  caller: Caller

  constructor(like: SchedulingRequest) {
    this.caller = like
    this.request = { ...like }
    for (const field of Object.keys(like) as (keyof SchedulingRequest)[])
      if (!isKindField(field)) this.#watch(field as CallerField)
  }

  #watch(field: CallerField): void {
    const get = (): unknown => {
      this.read.add(field)
      return this.caller[field]
    }
    Object.defineProperty(this.request, field, { get, enumerable: true })
  }
}
