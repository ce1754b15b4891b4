import { replaceAllocations } from '../../src/placement/allocations/allocations.ts'
import type { ClaimRefusal, ConsumerClaim } from '../../src/placement/allocations/ledger.ts'
import { placementRules } from '../../src/placement/rules.ts'
import { GENESIS } from '../../src/store/chain.ts'
import type { Batch } from '../../src/store/store.ts'
import type { PlainPut } from '../../src/store/tables/plain-tables.ts'
import { type Change, insert } from '../../src/world/change.ts'
import { accept, type Decision, refuse } from '../../src/world/decision.ts'
import { World } from '../../src/world/world.ts'
import { noRows, type Rows, type State, withBatch } from './state.ts'

/** Few of everything, so that writes conflict. */
const uuid = (kind: number, nth: number) => `0000000${kind}-0000-4000-8000-00000000000${nth}`
export const PROVIDERS = [1, 2, 3].map(nth => uuid(1, nth))
export const CONSUMERS = [1, 2, 3, 4, 5].map(nth => uuid(2, nth))
export const CLASS = 'VCPU'
export const CAPACITY = 6

interface Act {
  /** The number of the client's request. */
  readonly request: number
  /** An earlier attempt may have succeeded. */
  readonly isAgain?: boolean
  readonly claims: readonly ConsumerClaim[]
}

type Refusal = ClaimRefusal | { readonly kind: 'done-before' }

/** The real rule of claims, whose changes are signed with the request they come from. */
function act(
  world: World,
  { request, claims, isAgain }: Act,
  nowMs: number,
): Decision<{ readonly isSigned: boolean }, Refusal> {
  const signature = { id: request, uuid: `request ${request}` }
  if (world.aggregates.find(signature.uuid) !== undefined) {
    if (isAgain) return refuse({ kind: 'done-before' })
    throw new Error(`request ${request} is in memory and is decided once more`)
  }
  const decision = replaceAllocations(world, { claims }, nowMs)
  if (!decision.ok) return decision
  const { ops } = decision.change
  const signed: Change =
    ops.length === 0 ? decision.change : { ops: [...ops, insert('aggregates', signature)] }
  return accept(signed, { isSigned: ops.length > 0 })
}

export const rules = { act }

/** The request whose change this is. */
export function signerOf(change: Change): number | null {
  const row = change.ops.find(op => op.table === 'aggregates')?.after
  return row === undefined || row === null ? null : (row.id as number)
}

export function keyOf(request: number): readonly [caller: string, key: string] {
  return ['client', `request ${request}`]
}

/** The plain row of a keyed write. */
export function makeKeyRow(request: number, isAccepted: boolean, nowMs: number): PlainPut {
  const [caller, key] = keyOf(request)
  const status = isAccepted ? 200 : 409
  const row = { caller, key, request: 'digest', status, answer: '', at_ms: nowMs }
  return { table: 'idempotency_keys', row, isNew: true }
}

/** The cloud at the start of every run: empty hosts. */
export const firstState: State = (() => {
  const world = new World()
  const changes: Change[] = []
  const decide = (decision: Decision<unknown, unknown>) => {
    if (!decision.ok) throw new Error('the first cloud cannot be built')
    world.apply(decision.change)
    changes.push(decision.change)
  }
  decide(placementRules['placement:sync-standards'](world, { classes: [CLASS], traits: [] }, 0))
  PROVIDERS.forEach((provider, nth) => {
    decide(
      placementRules['placement:create-provider'](
        world,
        { uuid: provider, name: `host-${nth}`, parent: null },
        0,
      ),
    )
    const record = {
      total: CAPACITY,
      reserved: 0,
      minUnit: 1,
      maxUnit: CAPACITY,
      stepSize: 1,
      allocationRatio: 1,
    }
    decide(
      placementRules['placement:add-inventory'](
        world,
        { provider, class: CLASS, record, mayBeFullyReserved: false },
        0,
      ),
    )
  })
  const batch: Batch = { id: 'first', atMs: 0, changes: changes.map(change => ({ change, names: {} })) }
  const empty: State = { head: GENESIS, rows: noRows(), changes: [], plain: new Map() }
  return withBatch(empty, batch, { changesAgeMsMax: 1e12, changesCountMax: 1e6 }).state
})()

/** Overbooked hosts. */
export function overbooked(rows: Rows): string[] {
  const used = new Map<unknown, number>()
  for (const row of rows.get('allocations')?.values() ?? [])
    used.set(row.provider_id, (used.get(row.provider_id) ?? 0) + (row.used as number))
  return [...used].flatMap(([provider, sum]) =>
    sum > CAPACITY ? [`provider ${provider} has ${sum} used of ${CAPACITY}`] : [],
  )
}
