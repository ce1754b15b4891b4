import { ownValue } from '../../../src/kernel/records.ts'
import { amount } from '../formats.ts'

/** Said of several hosts; `KEY` stands for what it is about. */
const WORDS: Readonly<Record<string, string>> = {
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
  'not-booked': 'could not be claimed',
  'left-out': 'were left out',
  cut: 'were not looked at any more: the limit of claims was reached',
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
}

const ONE: Readonly<Record<string, string>> = {
  have: 'has',
  lack: 'lacks',
  do: 'does',
  are: 'is',
  were: 'was',
  report: 'reports',
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

/** For how many of them nothing else stands in the way; empty where that says nothing. */
export function onlyReason(hosts: number, only: number): string {
  if (only === 0)
    return hosts === 1 ? 'other reasons keep it out as well' : 'other reasons keep them out as well'
  if (hosts === 1) return 'nothing else keeps it out'
  return only === hosts ? 'nothing else keeps them out' : `nothing else keeps ${amount(only)} of them out`
}
