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
  /** For the reference page and the tests. Every filter that refuses hosts has one. */
  readonly example?: FilterExample
  /** The filter reads the image, so it also runs for a rebuild, which may change the image. */
  readonly onRebuild?: true
  /** The filter reads only the aggregates of the host, so hosts in the same aggregates share a verdict. */
  readonly byAggregates?: true
  /** The filter reads temporary state, such as being disabled, which says nothing about where a server belongs. */
  readonly momentary?: true
  check(request: Request, host: Host, settings: Settings): FilterVerdict<NoInfer<Code>>
}

/** An item that the filter passes, one that it refuses, and the text of the refusal. */
interface FilterExample {
  readonly passes: FilterItem
  readonly refused: FilterItem
  readonly text: string
}

/** Defines a filter of hosts. The compiler rejects a verdict with a reason that is not in `reasons`. */
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
