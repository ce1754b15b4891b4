import { chooseFilters, chooseWeighers, DEFAULT_FILTERS, DEFAULT_WEIGHERS } from '../hosts/registry.ts'
import type { Filter } from './filter.ts'
import { memoizeByIdentity } from './memoize.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from './settings.ts'
import type { Weigher } from './weigher.ts'

/** The operator's choice of filters, weighers and settings. Plain data, so that commands can carry it. */
export interface SchedulingSetup {
  /** By name, in the order in which they run. */
  readonly filters: readonly string[]
  readonly weighers: readonly string[]
  readonly settings: SchedulingSettings
}

export const DEFAULT_SETUP: SchedulingSetup = {
  filters: DEFAULT_FILTERS.map(({ name }) => name),
  weighers: DEFAULT_WEIGHERS.map(({ name }) => name),
  settings: DEFAULT_SETTINGS,
}

/** The filters and weighers of a setup. Unknown names were refused at start. */
export const partsOf: (setup: SchedulingSetup) => {
  readonly filters: readonly Filter[]
  readonly weighers: readonly Weigher[]
} = memoizeByIdentity((setup: SchedulingSetup) => ({
  filters: chooseFilters(setup.filters).chosen,
  weighers: chooseWeighers(setup.weighers).chosen,
}))
