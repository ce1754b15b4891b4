/** The policies that are compared, as configurations of the scheduler. */
import { mergeSettings, type NamedSettings } from '../../src/scheduling/framework/setting-names.ts'
import { DEFAULT_SETTINGS } from '../../src/scheduling/framework/settings.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../../src/scheduling/framework/setup.ts'
import { WEIGHT_PROFILES } from '../../src/scheduling/hosts/weight-profiles.ts'

export interface Policy {
  readonly name: string
  readonly weighers: readonly string[]
  readonly settings: Partial<NamedSettings>
  /** What others measured with the same method: for calibration, or as the bound to reach. */
  readonly published?: { readonly openb?: number; readonly azure?: number }
}

/** A profile as an operator gets it: with all other weighers. */
function policyOf(profile: keyof typeof WEIGHT_PROFILES): Pick<Policy, 'weighers' | 'settings'> {
  const { weighers, multipliers } = WEIGHT_PROFILES[profile]
  return {
    weighers: [...DEFAULT_SETUP.weighers, ...weighers],
    settings: { weight_multipliers: multipliers },
  }
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
    ...policyOf('spread'),
    published: { openb: 93.8, azure: 62.9 },
  },
  {
    name: 'pack',
    ...policyOf('pack'),
  },
  {
    name: 'pack-gpu',
    ...policyOf('pack-gpu'),
    published: { openb: 95.39 },
  },
]

/** No filter runs: nothing in the traces would be refused by one. Every host is a candidate. */
export const setupOf = ({ weighers, settings }: Policy): SchedulingSetup => ({
  filters: [],
  weighers,
  settings: mergeSettings(settings, { ...DEFAULT_SETTINGS, candidatesMax: Number.POSITIVE_INFINITY }),
})
