import { ownValue } from '../../kernel/records.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import type { ReasonCode } from './refusal.ts'

/**
 * Why several hosts or pools are kept out, without the noun; `KEY` stands for what the reason is about. The text of a reason about
 * one host, with its numbers, is in refusal-text.ts. Both are typed by the code: a reason without words does not compile.
 */
export const REASON_WORDS: Readonly<Record<ReasonCode, string>> = {
  'host.disabled': 'are disabled',
  'host.down': 'are down',
  'extra-spec.missing': 'are in no aggregate that has KEY',
  'extra-spec.mismatch': 'are in aggregates with another value of KEY',
  'extra-spec.present': 'are in an aggregate that has KEY, which must not be there',
  'extra-spec.impossible': 'cannot meet KEY, which nothing can',
  'demand.missing': 'are in an aggregate that asks flavors for KEY, which this one does not have',
  'demand.mismatch': 'are in an aggregate that asks flavors for another value of KEY',
  'demand.unwanted': 'are in an aggregate that takes no flavor with KEY',
  'demand.impossible': 'are in an aggregate that asks flavors for KEY in a way that none can meet',
  'capability.missing': 'report nothing about KEY',
  'capability.mismatch': 'report another value of KEY',
  'flavor.not-listed': 'are in an aggregate that does not list the flavor',
  'project.not-listed': 'are in an aggregate that does not list the project',
  'image-property.not-listed': 'are in an aggregate that does not list KEY of the image',
  'instances.limit': 'have as many instances as they may',
  'io-ops.limit': 'have as many instances in heavy work as they may',
  'zone.other': 'are in another zone',
  'same-host.apart': 'have none of the servers that it has to be with',
  'different-host.together': 'have a server that it has to be away from',
  'group.elsewhere': 'are not where the others of the server group are',
  'group.full': 'have as many of the server group as they may',
  'query.refused': 'are not what the query of the request asks for',
  'query.malformed': 'cannot answer the query of the request',
  'image.unsupported': 'do not run such an image',
  'image.hypervisor-version': 'have another version of the hypervisor than the image asks for',
  'image.address-bits': 'have fewer address bits than the image asks for',
  'image.isolated': 'are not among those that the image is kept to',
  'host.isolated': 'are kept for certain images',
  'backend.disabled': 'are of a back end that is disabled',
  'only-host.other': 'are not the one that is asked for',
  'capacity.short': 'have too little space left',
  'pool-capability.missing': 'say nothing about KEY',
  'pool-capability.mismatch': 'have another value of KEY',
  'snapshot.elsewhere': 'are not where the snapshot is',
  'affinity.elsewhere': 'are not where a share is that it has to be with',
  'affinity.unplaced': 'cannot be with a share that has no pool yet',
  'affinity.moving': 'cannot be with a share that is moving',
  'anti-affinity.together': 'have a share that it has to be away from',
}

/** The same for what hosts lack of what is asked of Placement. */
export const MISS_WORDS: Readonly<Record<Miss['kind'], string>> = {
  'no-inventory': 'have none of KEY',
  short: 'have too little left of KEY',
  units: 'do not give out so much at once of KEY',
  'trait-missing': 'lack the trait KEY',
  'trait-forbidden': 'have the trait KEY, and must not have it',
  'root-trait-missing': 'lack the trait KEY at the root',
  'root-trait-forbidden': 'have the trait KEY at the root, and must not have it',
  'not-in-aggregate': 'are not in KEY',
  'in-forbidden-aggregate': 'are in KEY, and must not be',
  'other-tree': 'are another tree than KEY',
  'not-together': 'cannot serve all groups together',
}

/** The same for what else ends a count of how many servers fit. */
export const FITS_END_WORDS: Readonly<Record<'not-booked' | 'left-out' | 'cut', string>> = {
  'not-booked': 'could not be claimed',
  'left-out': 'were left out',
  cut: 'were not looked at any more: the limit of claims was reached',
}

const WORDS: Readonly<Record<string, string>> = { ...REASON_WORDS, ...MISS_WORDS, ...FITS_END_WORDS }

const ONE: Readonly<Record<string, string>> = {
  have: 'has',
  lack: 'lacks',
  do: 'does',
  are: 'is',
  were: 'was',
  report: 'reports',
  say: 'says',
}

/** Why hosts are kept out, without the noun. */
export function reasonWords(code: string, key: string | null, hosts: number): string {
  const words = (ownValue(WORDS, code) ?? `refuse it (${code})`).replace(
    'KEY',
    key ?? (code.startsWith('demand.') ? 'a certain key' : 'what the flavor asks for'),
  )
  return hosts === 1
    ? words.replace(/^\w+/, verb => ownValue(ONE, verb) ?? verb).replace(/\bthey\b/, 'it')
    : words
}
