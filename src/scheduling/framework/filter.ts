import type { HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { FilterVerdict } from './refusal.ts'
import type { SchedulingSettings } from './settings.ts'

/** One reason to keep a request off a host. A filter is one file and one line in the registry. */
export interface Filter<Host = HostView, Request = SchedulingRequest, Settings = SchedulingSettings> {
  /** Nova's or Manila's, where they have it. */
  readonly name: string
  readonly summary: string
  readonly reads: Reads
  /** The image may change in a rebuild; a filter that looks at it is asked then too. */
  readonly onRebuild?: true
  /** Of the host it looks at nothing but its aggregates, so that hosts with the same list share a verdict. */
  readonly byAggregates?: true
  /** What it looks at comes and goes, like being disabled: it does not say whether a server belongs on the host. */
  readonly momentary?: true
  check(request: Request, host: Host, settings: Settings): FilterVerdict
}

/** The keys that a filter, prefilter or weigher looks at; `*` for whatever part of a key. */
export interface Reads {
  readonly extraSpecs?: readonly string[]
  readonly metadata?: readonly string[]
  readonly hints?: readonly string[]
  readonly imageProperties?: readonly string[]
  readonly host?: readonly string[]
  readonly request?: readonly string[]
  readonly settings?: readonly (keyof SchedulingSettings)[]
}
