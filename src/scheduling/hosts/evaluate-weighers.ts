import { settingsFrom } from '../framework/setting-names.ts'
import type { SchedulingSettings } from '../framework/settings.ts'
import type { Weigher } from '../framework/weigher.ts'
import { type Contribution, weighHosts } from '../framework/weighing.ts'
import { type FilterItem, type HostItem, hostOf, requestOf } from './evaluate-filter.ts'

/** Hosts to be put in order for one request. What no weigher reads can be left out. */
export interface WeighersItem extends Pick<FilterItem, 'image_properties' | 'server_group' | 'settings'> {
  readonly hosts: readonly WeighedHost[]
}

interface WeighedHost extends HostItem {
  /** The metadata of each aggregate that the host is in. */
  readonly aggregates?: readonly Readonly<Record<string, string>>[]
}

interface WeighedResult {
  /** In the order in which they were given. */
  readonly hosts: readonly {
    readonly name: string
    readonly weight: number
    readonly contributions: readonly Contribution[]
  }[]
  /** Places of the hosts as they were given, from 0, best first. */
  readonly ranking: readonly number[]
}

/** What weighers say to each item, in their order. */
export function evaluateWeighers(
  weighers: readonly Weigher[],
  items: readonly WeighersItem[],
  settings: SchedulingSettings,
): WeighedResult[] {
  return items.map(item => {
    const hosts = item.hosts.map(({ aggregates = [], ...host }) => hostOf({ host, aggregates }))
    const weighing = weighHosts(weighers, requestOf(item), hosts, settingsFrom(item.settings ?? {}, settings))
    return {
      hosts: hosts.map(({ name }, at) => ({
        name,
        weight: weighing.weights[at] as number,
        contributions: weighing.contributions(at),
      })),
      ranking: weighing.ranking,
    }
  })
}
