import type { HostView } from '../hosts/host-view.ts'
import type { SchedulingRequest } from '../hosts/request-view.ts'
import type { Reads } from './filter.ts'
import type { SchedulingSettings } from './settings.ts'

/** One measure of how good a host is. A weigher is one file and one line in the registry. */
export interface Weigher<Host = HostView, Request = SchedulingRequest, Settings = SchedulingSettings> {
  /** As in Nova or Manila. */
  readonly name: string
  readonly summary: string
  /** The metadata key or setting that overrides its multiplier. */
  readonly multiplierKey: string
  readonly multiplier: number
  /** The smallest allowed multiplier; below it the weigher would do the opposite of its name. */
  readonly multiplierMin?: number
  /** Operators write the multiplier without its minus sign. */
  readonly isNegated?: true
  /** The lowest weight before normalization: no host counts as worse. */
  readonly least?: number
  readonly reads: Reads
  /** Its weights depend on the expected mix of requests too, so they are measured again when that changes. */
  readonly byMix?: true
  /**
   * True if every host would get the same weight for this request, so that the weigher need not run. Absent:
   * always runs.
   */
  isIdle?(request: Request, settings: Settings): boolean
  /** Higher is better, before the multiplier. */
  weigh(request: Request, host: Host, settings: Settings): number
  /** What it measured, in words. */
  explain?(request: Request, host: Host, settings: Settings): string
  /**
   * Compares the candidates of one host: which of its like devices or NUMA nodes to take. Higher is better. Hosts then
   * come with `claim`, the best candidate by all weighers that compare them. Absent: all candidates are alike to it.
   */
  weighClaim?(request: Request, host: Host, settings: Settings): number
}
