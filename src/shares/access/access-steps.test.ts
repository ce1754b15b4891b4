import { beforeEach, expect, test } from 'vitest'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { BACKENDS, SmallFarm } from '../share-rules.fixture.ts'
import { summarizeAccess } from './access-rules.ts'
import { makeAppliedOps } from './access-steps.ts'

let farm: SmallFarm
let share: string
let backend: string

beforeEach(() => {
  farm = new SmallFarm()
  farm.create(1, [], [], null)
  for (const one of BACKENDS) farm.work(one, 'done')
  const [row] = farm.world.shares.shares.all()
  share = row?.uuid as string
  backend = nameOrEmpty(farm.world, farm.world.shares.findBackend(row?.pool_id ?? null))
})

const row = () => farm.world.shares.shares.all()[0] as never
const rules = () => farm.world.shares.accessRules.all()
const states = () => rules().map(({ state }) => state)
const exported = () => [...(farm.exports.get(backend) ?? [])].length

test('a rule that the back end fails to apply shows error, is tried again later, and becomes active', () => {
  farm.allow(share, '10.0.0.1')
  expect([states(), summarizeAccess(farm.world, row())]).toEqual([['queued_to_apply'], 'syncing'])
  farm.work(backend, 'failed before')
  expect([states(), summarizeAccess(farm.world, row())]).toEqual([['error'], 'error'])
  expect(farm.work(backend, 'done')).toBe(false)
  farm.nowMs += 10_000
  expect(farm.work(backend, 'done')).toBe(true)
  expect([states(), summarizeAccess(farm.world, row()), exported()]).toEqual([['active'], 'active', 1])
})

test('a failed rule that is denied goes with the next try, which comes at once', () => {
  farm.allow(share, '10.0.0.1')
  farm.work(backend, 'failed after')
  expect([states(), exported()]).toEqual([['error'], 1])
  const [rule] = rules()
  farm.ask('shares:deny-access', {
    share,
    rule: rule?.uuid ?? '',
    stepUuid: farm.uuid(),
    allowsError: false,
  })
  expect(farm.work(backend, 'done')).toBe(true)
  expect([states(), exported()]).toEqual([[], 0])
})

test('a rule that could not be withdrawn is withdrawn later, after any other changes', () => {
  farm.allow(share, '10.0.0.1')
  farm.work(backend, 'done')
  const [rule] = rules()
  farm.ask('shares:deny-access', {
    share,
    rule: rule?.uuid ?? '',
    stepUuid: farm.uuid(),
    allowsError: false,
  })
  farm.work(backend, 'failed before')
  expect([states(), exported()]).toEqual([['error'], 1])
  farm.allow(share, '10.0.0.2')
  farm.drain()
  expect(rules().map(({ access_to, state }) => [access_to, state])).toEqual([['10.0.0.2', 'active']])
})

test('several changes share one step, and one that came while it ran gets its own step', () => {
  for (const to of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) farm.allow(share, to)
  expect(farm.world.shares.steps.all()).toHaveLength(1)
  farm.work(backend, 'died before')
  farm.allow(share, '10.0.0.4')
  expect(farm.world.shares.steps.all()).toHaveLength(2)
  farm.drain()
  expect([states(), exported()]).toEqual([['active', 'active', 'active', 'active'], 4])
})

test('a rule that the driver refuses is in error, and the others are active', () => {
  farm.allow(share, '10.0.0.1')
  farm.allow(share, '10.0.0.2')
  farm.work(backend, 'died before')
  const [bad] = rules()
  const ops = makeAppliedOps(farm.world, row(), [{ rule: bad?.uuid ?? '', error: 'not here' }])
  expect(ops.map(({ after }) => (after as { state: string }).state)).toEqual(['error', 'active'])
})
