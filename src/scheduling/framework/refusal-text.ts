import { ownValue } from '../../kernel/records.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { ALL_FILTERS } from '../hosts/registry.ts'
import { hintedSharesFilter } from '../pools/filters/hinted-shares.ts'
import { POOL_FILTERS } from '../pools/registry.ts'
import type { Blame, Reason, ReasonDefinition, SpecChange } from './refusal.ts'
import { setSpecCommand, unsetSpecCommand } from './shell-commands.ts'

/** The texts of reasons, from the definitions that filters list. */

const DEFINITIONS: ReadonlyMap<string, ReasonDefinition> = new Map(
  [...ALL_FILTERS, ...POOL_FILTERS, hintedSharesFilter].flatMap(({ reasons }) =>
    reasons.map(one => [one.code, one]),
  ),
)

/** The text for the refused host. A decision may contain a reason of a filter that no longer exists. */
export const reasonText = ({ code, facts }: Reason): string =>
  DEFINITIONS.get(code)?.text(facts) ?? `the host is refused (${code}).`

/** What an operator or the owner of a flavor could do so that the host passes. */
export const remedyText = ({ code, facts }: Reason, host: string): string =>
  DEFINITIONS.get(code)?.remedy(facts, host) ?? `see what ${code} means`

/** The command for the remedy, if there is one. `flavor` is null if the flavor is not stored. */
export function remedyCommand(reason: Reason, host: string, flavor: string | null): string | null {
  const own = DEFINITIONS.get(reason.code)?.command?.(reason.facts, host) ?? null
  const change = specChange(reason)
  if (own !== null || flavor === null || change === null) return own
  const { key, value } = change
  return value === null ? unsetSpecCommand(flavor, key) : setSpecCommand(flavor, key, value)
}

/** What the remedy for a reason changes in the flavor; null if it changes something else. */
export const specChange = ({ code, facts }: Reason): SpecChange | null =>
  DEFINITIONS.get(code)?.specChange?.(facts) ?? null

export const isVoidAfterSpecChange = ({ code }: Reason): boolean =>
  DEFINITIONS.get(code)?.isVoidAfterSpecChange === true

/** The part of the request that a reason is about. */
export const blameOf = ({ code, facts }: Reason): Blame => DEFINITIONS.get(code)?.blames?.(facts) ?? {}

/** What hosts lack in Placement. The texts follow a number of hosts. */
const MISS_TEXTS: Readonly<Record<Miss['kind'], string>> = {
  'no-inventory': 'have none of KEY',
  short: 'have too little KEY',
  units: 'do not allow this amount of KEY',
  'trait-missing': 'lack the trait KEY',
  'trait-forbidden': 'have the trait KEY, and must not have it',
  'root-trait-missing': 'lack the trait KEY at the root',
  'root-trait-forbidden': 'have the trait KEY at the root, and must not have it',
  'not-in-aggregate': 'are not in KEY',
  'in-forbidden-aggregate': 'are in KEY, and must not be',
  'other-tree': 'are another tree than KEY',
  'not-together': 'cannot serve all groups together',
}

/** Other reasons why a host takes no more servers. */
const FITS_END_TEXTS: Readonly<Record<'not-booked' | 'left-out' | 'cut', string>> = {
  'not-booked': 'could not be claimed',
  'left-out': 'were left out',
  cut: 'were not counted: the limit of claims was reached',
}

const OTHER_TEXTS: Readonly<Record<string, string>> = { ...MISS_TEXTS, ...FITS_END_TEXTS }

/** Every code that `hostsText` knows. */
export const HOSTS_TEXT_CODES: readonly string[] = [...DEFINITIONS.keys(), ...Object.keys(OTHER_TEXTS)]

const SINGULAR: Readonly<Record<string, string>> = {
  have: 'has',
  lack: 'lacks',
  do: 'does',
  are: 'is',
  were: 'was',
  report: 'reports',
  say: 'says',
}

/** Why hosts are refused, in words that follow `3 hosts`. */
export function hostsText(code: string, key: string | null, hosts: number): string {
  const definition = DEFINITIONS.get(code)
  const text = definition?.hostsText ?? ownValue(OTHER_TEXTS, code) ?? `are refused (${code})`
  const filled = text.replace('KEY', () => key ?? definition?.keyText ?? 'what the flavor asks for')
  return hosts === 1
    ? filled.replace(/^\w+/, verb => ownValue(SINGULAR, verb) ?? verb).replace(/\bthey\b/, 'it')
    : filled
}
