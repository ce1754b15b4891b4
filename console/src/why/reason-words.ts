import { ownValue } from '../../../src/kernel/records.ts'
import { FITS_END_WORDS, MISS_WORDS, REASON_WORDS } from '../../../src/scheduling/framework/reason-words.ts'
import { amount } from '../formats.ts'

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

/** For how many of them nothing else stands in the way; empty where that says nothing. */
export function onlyReason(hosts: number, only: number): string {
  if (only === 0)
    return hosts === 1 ? 'other reasons keep it out as well' : 'other reasons keep them out as well'
  if (hosts === 1) return 'nothing else keeps it out'
  return only === hosts ? 'nothing else keeps them out' : `nothing else keeps ${amount(only)} of them out`
}
