import { providerSlot } from '../kernel/ids.ts'
import type { RowOp } from '../world/change.ts'
import { type Decision, type Rule, type Rules, refuse } from '../world/decision.ts'
import type { World } from '../world/world.ts'

/** Something belongs to another service, which alone may change it. */
export interface Owned {
  readonly kind: 'owned'
  readonly owner: 'share'
  readonly what: string
}

/** Rules that refuse whatever would change what belongs to another service, whichever way they came to it. */
export function leavingOwned<R extends Rules>(rules: R): R {
  const entries = Object.entries(rules).map(([kind, rule]) => [kind, guarded(rule)])
  return Object.fromEntries(entries) as R
}

const guarded =
  (rule: Rule<unknown, unknown, unknown>): Rule<unknown, unknown, unknown> =>
  (world, command, nowMs): Decision<unknown, unknown> => {
    const decision = rule(world, command, nowMs)
    if (!decision.ok) return decision
    const owned = ownedBy(world, decision.change.ops)
    return owned === null ? decision : refuse(owned)
  }

const CLASS = 'CUSTOM_SHARE_GB'

/** What an op of these would change that is another service's. */
export function ownedBy(world: World, ops: readonly RowOp[]): Owned | null {
  if (world.shares.backends.size === 0) return null
  for (const op of ops) {
    const provider = providerOf(op, id => world.shares.owns(id))
    if (provider !== null)
      return {
        kind: 'owned',
        owner: 'share',
        what: `provider ${world.providers.uuid(providerSlot(provider))}`,
      }
    if (op.table === 'resource_classes' && op.before?.name === CLASS)
      return { kind: 'owned', owner: 'share', what: `resource class ${CLASS}` }
    if (
      op.table === 'consumers' &&
      op.before !== null &&
      world.shares.shares.find(op.before.uuid) !== undefined
    )
      return { kind: 'owned', owner: 'share', what: `consumer ${op.before.uuid}` }
  }
  return null
}

/** The provider that an op is about, where it is somebody's. */
function providerOf(op: RowOp, isOwned: (id: number) => boolean): number | null {
  const row = op.before ?? op.after
  if (row === null) return null
  const ids: (number | null)[] = []
  if (op.table === 'resource_providers')
    ids.push(op.before === null ? null : op.before.id, op.after?.parent_id ?? null)
  else if ('provider_id' in row) ids.push(row.provider_id)
  return ids.find((id): id is number => id !== null && isOwned(id)) ?? null
}
