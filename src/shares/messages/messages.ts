import type { NoPool } from '../../scheduling/pools/choose.ts'
import { POOL_FILTERS } from '../../scheduling/pools/registry.ts'

/** Manila's numbers for actions; it has none for a move. */
export const ACTIONS = {
  'allocate-host': '001',
  create: '002',
  delete: '007',
  extend: '008',
  shrink: '009',
  migrate: '101',
  snapshot: '102',
  access: '010',
} as const
export type MessageAction = keyof typeof ACTIONS

type MessageResource = 'SHARE' | 'SHARE_SNAPSHOT'

/** Tells a user about a failure after the request was accepted. */
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
const DRIVER_DETAILS: Partial<Readonly<Record<MessageAction, string>>> = { extend: '015', shrink: '019' }

interface About {
  readonly project: string
  readonly share: string
  readonly action: MessageAction
}

/** No pool passed: the filter, and the share that was in the way. */
export function noPoolMessage({ project, share, action }: About, { filter, reason }: NoPool): Message {
  const refusing = POOL_FILTERS.find(({ name }) => name === filter)
  const definition = refusing?.reasons.find(({ code }) => code === reason.code)
  return {
    project,
    resource: 'SHARE',
    resourceId: share,
    action,
    detail: refusing?.messageDetail ?? NO_VALID_HOST,
    text: `${filter}: ${definition?.memberText(reason.facts) ?? 'no pool fits.'}`,
  }
}

/** Part of the request for a new share has no effect. */
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
