import { amount } from '../formats.ts'

/** For how many of them it is the only reason; empty if that is not informative. */
export function onlyReason(hosts: number, only: number): string {
  if (only === 0)
    return hosts === 1 ? 'other reasons keep it out as well' : 'other reasons keep them out as well'
  if (hosts === 1) return 'nothing else keeps it out'
  return only === hosts ? 'nothing else keeps them out' : `nothing else keeps ${amount(only)} of them out`
}
