import type { HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { Reads } from './filter.ts'
import type { SchedulingSettings } from './settings.ts'

/** One measure of how good a host is. A weigher is one file and one line in the registry. */
export interface Weigher<Host = HostView, Request = SchedulingRequest, Settings = SchedulingSettings> {
  /** Nova's or Manila's. */
  readonly name: string
  readonly summary: string
  /** What an aggregate's metadata, or a setting, overrides its multiplier by. */
  readonly multiplierKey: string
  readonly multiplier: number
  /** The least that may be set for a server; below it the weigher would do the opposite of its name. */
  readonly multiplierMin?: number
  /** The multiplier is written without its minus. */
  readonly isNegated?: true
  /** No host counts as worse than this. */
  readonly least?: number
  readonly reads: Reads
  /** For this request it gives every host the same, so that nobody has to look. Absent: never. */
  isIdle?(request: Request, settings: Settings): boolean
  /** Higher is better, before the multiplier. */
  weigh(request: Request, host: Host, settings: Settings): number
}
