import { mergeSettings, type NamedSettings } from '../scheduling/framework/setting-names.ts'
import { DEFAULT_SETTINGS, type SchedulingSettings } from '../scheduling/framework/settings.ts'
import type { SchedulingSetup } from '../scheduling/framework/setup.ts'
import { chooseFilters, chooseWeighers, type ListWarning } from '../scheduling/hosts/registry.ts'
import { WEIGHT_PROFILES } from '../scheduling/hosts/weight-profiles.ts'
import type { Config } from './keys.ts'

/** The scheduling part of the configuration. */
export function schedulingSetup(config: Config): SchedulingSetup {
  const { weighers, multipliers } = WEIGHT_PROFILES[config.weight_profile]
  const settings = readSettings(config)
  return {
    filters: [...new Set(config.enabled_filters)],
    weighers: [...new Set([...config.weight_classes, ...weighers])],
    settings: { ...settings, weightMultipliers: { ...multipliers, ...settings.weightMultipliers } },
  }
}

function readSettings(config: Config): SchedulingSettings {
  // The type checks that every setting has a key.
  const named: NamedSettings = config
  return mergeSettings(named, DEFAULT_SETTINGS)
}

/** The setup for Nova's scheduler. */
export const novaSetup = (config: Config): SchedulingSetup => ({
  filters: [...new Set(config.nova_filters)],
  weighers: [...new Set(config.nova_weighers)],
  settings: readSettings(config),
})

/** Warnings about odd lists, for the log at the start. */
export const schedulingWarnings = ({ enabled_filters, weight_classes }: Config): string[] => [
  ...chooseFilters(enabled_filters).warnings.map(warning => warningText('enabled_filters', warning)),
  ...chooseWeighers(weight_classes).warnings.map(warning => warningText('weight_classes', warning)),
]

function warningText(key: string, warning: ListWarning): string {
  switch (warning.code) {
    case 'named-twice':
      return `${key} names ${warning.name} twice; it counts once`
    case 'read-the-same-keys': {
      const [one, other] = warning.names
      return `${key} has both ${one} and ${other}: they read the same keys with different meanings, and a host must pass both`
    }
    default:
      return warning satisfies never
  }
}
