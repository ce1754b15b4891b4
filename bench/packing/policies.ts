/** The policies that are compared, as configurations of the scheduler. */
import { mergeSettings, type NamedSettings } from '../../src/scheduling/framework/setting-names.ts'
import { DEFAULT_SETTINGS } from '../../src/scheduling/framework/settings.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../../src/scheduling/framework/setup.ts'

export interface Policy {
  readonly name: string
  readonly weighers: readonly string[]
  readonly settings: Partial<NamedSettings>
  /** What others measured with the same method: for calibration, or as the bound to reach. */
  readonly published?: { readonly openb?: number; readonly azure?: number }
}

export const POLICIES: readonly Policy[] = [
  {
    name: 'random',
    weighers: [],
    settings: { near_equal_weight: 1 },
    published: { openb: 87.47 },
  },
  {
    name: 'first fit',
    weighers: [],
    settings: {},
    published: { azure: 89.1 },
  },
  {
    name: 'best fit',
    weighers: ['BestFitWeigher'],
    // As published: processors and GPUs, against the largest host.
    settings: { best_fit_weight_setting: { VCPU: 0.5 / 128_000, CUSTOM_GPU_SHARE: 0.5 / 8_000 } },
    published: { openb: 93.08, azure: 89 },
  },
  {
    name: 'spread (default)',
    weighers: DEFAULT_SETUP.weighers,
    settings: {},
    published: { openb: 93.8, azure: 62.9 },
  },
  {
    name: 'pack-gpu',
    weighers: ['FragmentationWeigher'],
    settings: {},
    published: { openb: 95.39 },
  },
]

/** No filter runs: nothing in the traces would be refused by one. Every host is a candidate. */
export const setupOf = ({ weighers, settings }: Policy): SchedulingSetup => ({
  filters: [],
  weighers,
  settings: mergeSettings(settings, { ...DEFAULT_SETTINGS, candidatesMax: Number.POSITIVE_INFINITY }),
})
