import { isSameNetwork, parseIpNetwork } from '../../kernel/ip-network.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, refuse } from '../../world/decision.ts'
import type { AccessRow, ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { checkMetadataCount } from '../share/change.ts'
import { isTransitional } from '../share/states.ts'
import { makeStepOps, readFacts } from '../worker/steps.ts'

export const ACCESS_TYPES = ['ip', 'user', 'cert', 'cephx'] as const
export type AccessType = (typeof ACCESS_TYPES)[number]

export const ACCESS_LEVELS = ['rw', 'ro'] as const
export type AccessLevel = (typeof ACCESS_LEVELS)[number]

/** Manila's states of a rule. A rule in `error` is retried, unless the driver cannot apply it. */
export const ACCESS_STATES = [
  'queued_to_apply',
  'applying',
  'active',
  'error',
  'queued_to_deny',
  'denying',
] as const
export type AccessState = (typeof ACCESS_STATES)[number]

/** Manila has no such limit. */
export const ACCESS_RULES_MAX = 1_000

interface AllowAccess {
  readonly uuid: string
  readonly stepUuid: string
  readonly share: string
  readonly type: AccessType
  readonly to: string
  readonly level: AccessLevel
  readonly metadata: Readonly<Record<string, string>>
  /** From 2.28. */
  readonly allowsFailedRules: boolean
  /** From 2.74: also while the share is in `error`. */
  readonly allowsError: boolean
}

/** The rule is recorded; the driver of the back end applies it. */
export function allowAccess(world: World, command: AllowAccess, nowMs: number): ShareDecision<AccessRow> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault =
    checkRules(world, share, command) ??
    checkMetadataCount(Object.keys(command.metadata).length) ??
    checkShareState(share, 'allow', command.allowsError)
  if (fault !== null) return refuse(fault)
  const rule: AccessRow = {
    id: world.shares.accessRules.nextId(),
    uuid: command.uuid,
    share_id: share.id,
    access_type: command.type,
    access_to: command.to,
    access_level: command.level,
    state: 'queued_to_apply',
    is_denied: 0,
    metadata: JSON.stringify(command.metadata),
    created_at: nowMs,
    updated_at: null,
  }
  const ops = [
    insert('share_access_rules', rule),
    ...makeAccessStepOps(world, share, command.stepUuid, nowMs),
  ]
  return accept({ ops }, rule)
}

function checkRules(world: World, share: ShareRow, command: AllowAccess): ShareRefusal | null {
  if (share.deleted_at !== null) return { kind: 'access-soft-deleted', share: share.uuid, action: 'allow' }
  const rules = world.shares.listAccess(share.id)
  if (!command.allowsFailedRules && rules.some(({ state }) => state === 'error'))
    return { kind: 'access-failed-rules', share: share.uuid }
  const { type, to } = command
  if (rules.some(rule => rule.access_type === type && isSameClient(rule, to)))
    return { kind: 'access-exists', type, to }
  return rules.length < ACCESS_RULES_MAX
    ? null
    : { kind: 'access-exceeded', share: share.uuid, limit: ACCESS_RULES_MAX }
}

function isSameClient({ access_type, access_to }: AccessRow, to: string): boolean {
  if (access_to === to || access_type !== 'ip') return access_to === to
  const [one, other] = [parseIpNetwork(access_to), parseIpNetwork(to)]
  return !('fault' in one) && !('fault' in other) && isSameNetwork(one, other)
}

function checkShareState(
  share: ShareRow,
  action: 'allow' | 'deny',
  allowsError: boolean,
): ShareRefusal | null {
  const { uuid, pool_id, status } = share
  const isFine = pool_id !== null && !isTransitional(status) && (allowsError || status !== 'error')
  return isFine ? null : { kind: 'access-state', share: uuid, action, status }
}

interface DenyAccess {
  readonly share: string
  readonly rule: string
  readonly stepUuid: string
  readonly allowsError: boolean
}

/** Deleted once the driver has withdrawn it. */
export function denyAccess(world: World, command: DenyAccess, nowMs: number): ShareDecision<null> {
  const share = world.shares.findShare(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (share.deleted_at !== null)
    return refuse({ kind: 'access-soft-deleted', share: share.uuid, action: 'deny' })
  const rule = world.shares.accessRules.find(command.rule)
  if (rule?.share_id !== share.id) return refuse({ kind: 'access-missing', rule: command.rule })
  const fault = checkShareState(share, 'deny', command.allowsError)
  if (fault !== null) return refuse(fault)
  const ops = [
    update('share_access_rules', rule, {
      ...rule,
      state: 'queued_to_deny',
      is_denied: 1,
      updated_at: nowMs,
    }),
    ...makeAccessStepOps(world, share, command.stepUuid, nowMs),
  ]
  return accept({ ops }, null)
}

/** A step that has not begun, or that waits for a retry, covers this change too. */
export function makeAccessStepOps(world: World, share: ShareRow, stepUuid: string, nowMs: number): RowOp[] {
  const waiting = world.shares.listStepsAbout(share.uuid).find(isWaitingAccess)
  if (waiting === undefined) return makeNewAccessStepOps(world, share, stepUuid, nowMs)
  const { retryAtMs, ...facts } = readFacts(world, waiting)
  return retryAtMs === undefined
    ? []
    : [update('share_steps', waiting, { ...waiting, facts: JSON.stringify(facts) })]
}

const isWaitingAccess = ({ kind, epoch }: { readonly kind: string; readonly epoch: number | null }) =>
  kind === 'access' && epoch === null

/** Applies the access rules of the share at its back end. */
export const makeNewAccessStepOps = (
  world: World,
  { uuid, pool_id }: ShareRow,
  stepUuid: string,
  nowMs: number,
): RowOp[] =>
  pool_id === null
    ? []
    : makeStepOps(world, [{ uuid: stepUuid, kind: 'access', pool: pool_id, share: uuid, facts: {} }], nowMs)

export const hasAccessRules = ({ shares }: World, { id }: ShareRow): boolean =>
  shares.listAccess(id).length > 0

export const makeDropAccessOps = ({ shares }: World, { id }: ShareRow): RowOp[] =>
  shares.listAccess(id).map(rule => remove('share_access_rules', rule))

/** As in Manila: `error` if a rule is in error, else the state of rules that are not applied yet. */
export function summarizeAccess({ shares }: World, { id }: ShareRow): 'active' | 'syncing' | 'error' {
  const states = shares.listAccess(id).map(({ state }) => state)
  if (states.includes('error')) return 'error'
  return states.every(state => state === 'active') ? 'active' : 'syncing'
}

interface SetAccessMetadata {
  readonly rule: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Other keys stay. */
export function setAccessMetadata(world: World, command: SetAccessMetadata): ShareDecision<null> {
  const rule = world.shares.accessRules.find(command.rule)
  if (rule === undefined) return refuse({ kind: 'access-missing', rule: command.rule })
  const metadata = { ...readAccessMetadata(world, rule), ...command.metadata }
  const fault = checkMetadataCount(Object.keys(metadata).length)
  if (fault !== null) return refuse(fault)
  return accept({ ops: [writeMetadata(rule, metadata)] }, null)
}

export function deleteAccessMetadata(
  world: World,
  command: { readonly rule: string; readonly key: string },
): ShareDecision<null> {
  const rule = world.shares.accessRules.find(command.rule)
  if (rule === undefined) return refuse({ kind: 'access-missing', rule: command.rule })
  const metadata = readAccessMetadata(world, rule)
  if (!Object.hasOwn(metadata, command.key)) return refuse({ kind: 'access-metadata-missing' })
  const rest = Object.entries(metadata).filter(([key]) => key !== command.key)
  return accept({ ops: [writeMetadata(rule, Object.fromEntries(rest))] }, null)
}

export const readAccessMetadata = ({ shares }: World, rule: AccessRow): Record<string, string> =>
  shares.parseColumn(rule.metadata) as Record<string, string>

/** Keeps the creation time of the rule, as in Manila. */
const writeMetadata = (rule: AccessRow, metadata: Record<string, string>): RowOp =>
  update('share_access_rules', rule, { ...rule, metadata: JSON.stringify(metadata) })
