/** Sets of weighers with their multipliers, under one name. A profile adds to what is configured one by one. */
export const WEIGHT_PROFILES = {
  /** Nova’s default: the host with most left. */
  spread: { weighers: [], multipliers: {} },
  /** The host with least left. */
  pack: {
    weighers: ['BestFitWeigher'],
    multipliers: { ram_weight_multiplier: 0, cpu_weight_multiplier: 0, disk_weight_multiplier: 0 },
  },
  /** The host and the devices whose loss hurts the expected requests least. */
  'pack-gpu': {
    weighers: ['FragmentationWeigher'],
    multipliers: { ram_weight_multiplier: 0, cpu_weight_multiplier: 0, disk_weight_multiplier: 0 },
  },
} as const satisfies Readonly<Record<string, WeightProfile>>

interface WeightProfile {
  readonly weighers: readonly string[]
  readonly multipliers: Readonly<Record<string, number>>
}

type WeightProfileName = keyof typeof WEIGHT_PROFILES
export const WEIGHT_PROFILE_NAMES = Object.keys(WEIGHT_PROFILES) as WeightProfileName[]
