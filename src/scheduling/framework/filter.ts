import type { FilterItem } from '../hosts/filter-item.ts'
import type { HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { Facts, FilterVerdict, ReasonDefinition } from './refusal.ts'
import type { SchedulingSettings } from './settings.ts'

/** One rule that refuses hosts for a request. A filter is one file and one line in the registry. */
export interface Filter<
  Host = HostView,
  Request = SchedulingRequest,
  Settings = SchedulingSettings,
  Code extends string = string,
> {
  /** As in Nova or Manila, if they have it. */
  readonly name: string
  readonly summary: string
  readonly reads: Reads
  /** Every reason that it gives. */
  readonly reasons: readonly ReasonDefinition<Facts, Code>[]
  /** For the reference page and the tests; a filter of hosts that refuses anything has one. */
  readonly example?: FilterExample
  /** It reads the image, which may change in a rebuild, so it also runs then. */
  readonly onRebuild?: true
  /** It reads only the aggregates of the host, so hosts with the same list share a verdict. */
  readonly byAggregates?: true
  /** It reads temporary state, such as being disabled, which does not decide whether a server belongs on the host. */
  readonly momentary?: true
  check(request: Request, host: Host, settings: Settings): FilterVerdict<NoInfer<Code>>
}

/** An item that the filter passes, one that it refuses, and the text of the refusal. */
interface FilterExample {
  readonly passes: FilterItem
  readonly refused: FilterItem
  readonly text: string
}

/** A filter of hosts. A verdict with a reason that `reasons` does not have is a type error. */
export const defineFilter = <Code extends string = never>(
  filter: Filter<HostView, SchedulingRequest, SchedulingSettings, Code>,
): Filter => filter

/** The keys that a filter, prefilter or weigher reads; `*` stands for any part of a key. */
export interface Reads {
  readonly extraSpecs?: readonly string[]
  readonly metadata?: readonly string[]
  readonly hints?: readonly string[]
  readonly imageProperties?: readonly string[]
  readonly host?: readonly string[]
  readonly request?: readonly string[]
  readonly settings?: readonly (keyof SchedulingSettings)[]
}
