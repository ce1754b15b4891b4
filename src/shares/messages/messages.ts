import { ownValue } from '../../kernel/records.ts'
import type { Reason } from '../../scheduling/framework/refusal.ts'
import type { NoPool } from '../../scheduling/pools/choose.ts'

/** Manila's numbers for what was tried; a move has none there. */
export const ACTIONS = {
  'allocate-host': '001',
  create: '002',
  delete: '007',
  extend: '008',
  shrink: '009',
  migrate: '101',
  snapshot: '102',
} as const
export type MessageAction = keyof typeof ACTIONS

type MessageResource = 'SHARE' | 'SHARE_SNAPSHOT'

/** What a user is told about something that failed after it was accepted. */
export interface Message {
  readonly project: string
  readonly resource: MessageResource
  readonly resourceId: string
  readonly action: MessageAction
  readonly detail: string
  readonly text: string
  /** A warning is about something that worked. */
  readonly level?: 'ERROR' | 'WARNING'
}

const UNKNOWN = '001'
const NO_VALID_HOST = '002'
const FILTER_DETAILS: Readonly<Record<string, string>> = {
  AvailabilityZoneFilter: '007',
  CapabilitiesFilter: '008',
  CapacityFilter: '009',
  CreateFromSnapshotFilter: '016',
}
const DRIVER_DETAILS: Partial<Readonly<Record<MessageAction, string>>> = { extend: '015', shrink: '019' }

interface About {
  readonly project: string
  readonly share: string
  readonly action: MessageAction
}

/** No pool would do: the filter that said so, and the share that stood in the way. */
export function noPoolMessage({ project, share, action }: About, because: NoPool): Message {
  return {
    project,
    resource: 'SHARE',
    resourceId: share,
    action,
    detail: ownValue(FILTER_DETAILS, because.filter) ?? NO_VALID_HOST,
    text: `${because.filter}: ${memberText(because.reason)}`,
  }
}

/** Something that was asked for a new share does nothing. */
export const warningMessage = ({ project, share, action }: About, text: string): Message => ({
  project,
  resource: 'SHARE',
  resourceId: share,
  action,
  detail: UNKNOWN,
  text,
  level: 'WARNING',
})

export function driverMessage(
  { project, share, action }: About,
  text: string,
  resource: MessageResource = 'SHARE',
): Message {
  const detail = DRIVER_DETAILS[action] ?? UNKNOWN
  return { project, resource, resourceId: share, action, detail, text }
}

/** For people who must not learn what back ends there are and what they have. */
function memberText(reason: Reason): string {
  switch (reason.code) {
    case 'backend.disabled':
      return 'no back end is enabled that could take the share.'
    case 'only-host.other':
      return `there is no pool ${reason.facts.asked}, or it cannot take the share.`
    case 'zone.other':
      return `no back end that could take the share is in ${reason.facts.asked}.`
    case 'capacity.short':
      return `no pool that could take the share has ${reason.facts.need} GB free.`
    case 'pool-capability.missing':
    case 'pool-capability.mismatch':
      return 'no pool can do what the share type asks for.'
    case 'snapshot.elsewhere':
      return `a share from snapshot ${reason.facts.snapshot} has to be on its back end, and nothing there will do.`
    case 'affinity.elsewhere':
      return `the share shall be on the same back end as share ${reason.facts.share}, and cannot.`
    case 'affinity.unplaced':
      return `the share shall be on the same back end as share ${reason.facts.share}, which is on none.`
    case 'affinity.moving':
      return `the share shall be on the same back end as share ${reason.facts.share}, which is being moved. Try again when it is there.`
    case 'anti-affinity.together':
      return `the share shall not be on the back end of share ${reason.facts.share}, and nothing else will do.`
    default:
      return 'no pool will do.'
  }
}
