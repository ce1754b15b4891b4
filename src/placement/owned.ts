import { providerSlot } from '../kernel/ids.ts'
import type { RowOp } from '../world/change.ts'
import { type Decision, type Rule, type Rules, refuse } from '../world/decision.ts'
import type { World } from '../world/world.ts'

/** Refused because this belongs to another service, which alone may change it. */
export interface ForeignOwned {
  readonly kind: 'owned'
  readonly owner: 'share'
  readonly what: string
}

/** The same rules, with `owned` as a further refusal. */
type RejectingOwned<R extends Rules> = {
  readonly [Kind in keyof R]: R[Kind] extends Rule<infer Command, infer Answer, infer Refusal>
    ? Rule<Command, Answer, Refusal | ForeignOwned>
    : never
}

/** Refuses every change of something that another service owns, whichever rule would make the change. */
export function rejectForeignOwned<R extends Rules>(rules: R): RejectingOwned<R> {
  const entries = Object.entries(rules).map(([kind, rule]) => [kind, rejecting(rule)])
  return Object.fromEntries(entries) as RejectingOwned<R>
}

const rejecting =
  <Command, Answer, Refusal>(
    rule: Rule<Command, Answer, Refusal>,
  ): Rule<Command, Answer, Refusal | ForeignOwned> =>
  (world, command, nowMs) => {
    const decision = rule(world, command, nowMs)
    // Tell the client about the owner first: fixing another fault, such as a generation, would not help.
    if (!decision.ok) return rejectNamedOwned(world, command) ?? decision
    const owned = findForeignOwned(world, decision.change.ops)
    return owned === null ? decision : refuse(owned)
  }

function rejectNamedOwned(world: World, command: unknown): Decision<never, ForeignOwned> | null {
  const uuid = (command as { readonly provider?: unknown } | null)?.provider
  if (typeof uuid !== 'string') return null
  const provider = world.providers.find(uuid)
  if (provider === undefined || !world.shares.owns(provider)) return null
  return refuse({ kind: 'owned', owner: 'share', what: `provider ${uuid}` })
}

const CLASS = 'CUSTOM_SHARE_GB'

/** Whether shares need this class. */
export const isOwnedClass = ({ shares }: World, name: string | undefined): boolean =>
  name === CLASS && shares.backends.size > 0

/** The first change among these ops to something that another service owns. */
export function findForeignOwned(world: World, ops: readonly RowOp[]): ForeignOwned | null {
  if (world.shares.backends.size === 0) return null
  for (const op of ops) {
    const provider = providerOf(op, id => world.shares.owns(id))
    if (provider !== null)
      return {
        kind: 'owned',
        owner: 'share',
        what: `provider ${world.providers.uuid(providerSlot(provider))}`,
      }
    if (op.table === 'resource_classes' && isOwnedClass(world, op.before?.name))
      return { kind: 'owned', owner: 'share', what: `resource class ${CLASS}` }
    if (
      op.table === 'consumers' &&
      op.before !== null &&
      world.shares.findShare(op.before.uuid) !== undefined
    )
      return { kind: 'owned', owner: 'share', what: `consumer ${op.before.uuid}` }
  }
  return null
}

/** The provider that an op changes, if another service owns it. */
function providerOf(op: RowOp, isOwned: (id: number) => boolean): number | null {
  const row = op.before ?? op.after
  if (row === null) return null
  const ids: (number | null)[] = []
  if (op.table === 'resource_providers')
    ids.push(op.before === null ? null : op.before.id, op.after?.parent_id ?? null)
  else if ('provider_id' in row) ids.push(row.provider_id)
  return ids.find((id): id is number => id !== null && isOwned(id)) ?? null
}
