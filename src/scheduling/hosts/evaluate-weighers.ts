import { mergeSettings } from '../framework/setting-names.ts'
import type { SchedulingSettings } from '../framework/settings.ts'
import type { Weigher } from '../framework/weigher.ts'
import { type Contribution, weighHosts } from '../framework/weighing.ts'
import { hostOf, requestOf } from './evaluate-filter.ts'
import type { FilterItem, HostItem } from './filter-item.ts'

/** Hosts to rank for one request. Fields that no weigher reads can be omitted. */
export interface WeighersItem
  extends Pick<FilterItem, 'extra_specs' | 'image_properties' | 'server_group' | 'settings'> {
  readonly hosts: readonly WeighedHost[]
}

interface WeighedHost extends HostItem {
  /** The metadata of each aggregate of the host. */
  readonly aggregates?: readonly Readonly<Record<string, string>>[]
}

interface WeighedResult {
  /** In the given order. */
  readonly hosts: readonly {
    readonly name: string
    readonly weight: number
    readonly contributions: readonly Contribution[]
  }[]
  /** Indexes of the given hosts, best first. */
  readonly ranking: readonly number[]
}

/** The result for each item, in order. */
export function evaluateWeighers(
  weighers: readonly Weigher[],
  items: readonly WeighersItem[],
  settings: SchedulingSettings,
): WeighedResult[] {
  return items.map(item => {
    const hosts = item.hosts.map(({ aggregates = [], ...host }) => hostOf({ host, aggregates }))
    const weighing = weighHosts(
      weighers,
      requestOf(item),
      hosts,
      mergeSettings(item.settings ?? {}, settings),
    )
    return {
      hosts: hosts.map(({ name }, at) => ({
        name,
        weight: weighing.weights[at] as number,
        contributions: weighing.listContributions(at),
      })),
      ranking: weighing.ranking,
    }
  })
}
