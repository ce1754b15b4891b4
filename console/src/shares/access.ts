/** The access rules of a share: their labels, and their valid values. */
import { parseIpNetwork } from '../../../src/kernel/ip-network.ts'
import type { ShareAccessRule } from '../../../src/wire/openstack-shares.ts'
import { type State, wordOf } from './states.ts'

export const TYPES = [
  { value: 'ip', label: 'IP address or network' },
  { value: 'user', label: 'User' },
  { value: 'cert', label: 'Certificate' },
]

export const LEVELS = [
  { value: 'rw', label: 'Read and write' },
  { value: 'ro', label: 'Read only' },
]

export function accessStateOf({ state }: Pick<ShareAccessRule, 'state'>): State {
  if (state === 'active') return { kind: 'good', word: state }
  return { kind: state === 'error' ? 'bad' : 'busy', word: wordOf(state) }
}

export const isAccessBusy = (rule: Pick<ShareAccessRule, 'state'>): boolean =>
  accessStateOf(rule).kind === 'busy'

/** Why a client cannot get access; null if it can. The server checks everything but addresses. */
export function whyNoClient(type: string, to: string): string | null {
  if (to === '') return 'Say whom to let in.'
  const network = type === 'ip' ? parseIpNetwork(to) : null
  return network !== null && 'fault' in network ? `${network.fault}.` : null
}
