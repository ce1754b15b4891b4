/** Leases and steps, as rules: nothing here waits for anything. */
import { beforeEach, describe, expect, test } from 'vitest'
import { replaceInventories } from '../../placement/inventories/inventories.ts'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import { checkWorld } from '../../server/check-world.ts'
import type { Decision } from '../../world/decision.ts'
import { World } from '../../world/world.ts'
import { declareBackends } from '../backends/backends.ts'
import type { ShareRefusal } from '../refusals.ts'
import { setMetadata, setShareState } from '../share/change.ts'
import { type CreateShare, createShare } from '../share/create.ts'
import { deleteShare, findDueInBin, moveToBin, restoreShare, unmanageShare } from '../share/delete.ts'
import { cancelMigration, completeMigration, startMigration } from '../share/migrate.ts'
import { resizeShare } from '../share/sizes.ts'
import { declareTypes, setTypeSpecs } from '../share-types/share-types.ts'
import { createSnapshot } from '../snapshots/snapshots.ts'
import { beginWork, releaseLeases, renewLeases } from './leases.ts'
import { endStep, type StepResult } from './results.ts'
import { STUCK_AT } from './steps.ts'

let world: World
let now: number
let uuids: number
const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`

function done<A>(decision: Decision<A, ShareRefusal>): A {
  if (!decision.ok) throw new Error(`refused: ${JSON.stringify(decision.refusal)}`)
  world.apply(decision.change)
  expect(checkWorld(world).items).toEqual([])
  return decision.answer
}
const kindOf = <A>(decision: Decision<A, ShareRefusal>) => (decision.ok ? 'accepted' : decision.refusal.kind)

const wish = (more: Partial<CreateShare> = {}): CreateShare => ({
  uuid: uuid(),
  stepUuid: uuid(),
  project: 'p',
  user: 'u',
  isAdmin: true,
  name: null,
  description: null,
  size: 1,
  protocol: 'NFS',
  type: world.shares.types.all()[0]?.uuid ?? '',
  isPublic: false,
  zone: null,
  snapshot: null,
  metadata: {},
  hints: NO_HINTED_SHARES,
  ownHints: NO_HINTED_SHARES,
  checkOwnHints: true,
  onlyHost: null,
  rankedPools: [],
  ...more,
})
const create = (more: Partial<CreateShare> = {}) => done(createShare(world, wish(more), now)).share.uuid
const begin = (holder: string, backend = 'farm@one', running: string[] = [], isAlone = false) =>
  beginWork(world, { backend, holder, leaseMs: 1000, isAlone, running, stepsMax: 10 }, now)
const end = (
  holder: string,
  epoch: number,
  step: string,
  result: StepResult = { ok: true, exportPath: '/x' },
) => endStep(world, { step, holder, epoch, result, nextUuid: uuid(), accessUuid: uuid() }, now)
const share = (id: string) => world.shares.findShare(id)

beforeEach(() => {
  world = new World()
  now = 1_000_000
  uuids = 0
  const pools = [{ name: 'p', totalGb: 3, reservedPercentage: 0, overSubscription: 1, capabilities: {} }]
  const backends = ['one', 'two'].map(name => ({
    name,
    driver: 'simulated',
    settings: {},
    availabilityZone: 'nova',
    capabilities: {},
    pools,
  }))
  done(
    declareBackends(
      world,
      { declared: { host: 'farm', backends }, owner: 'o', newUuids: [1, 2, 3, 4].map(uuid) },
      now,
    ),
  )
  const types = [{ name: 't', description: null, isPublic: true, extraSpecs: {} }]
  done(declareTypes(world, { types, defaultType: 't', newUuids: [uuid()] }, now))
})

const onOne = { onlyHost: 'farm@one#p' }

describe('a lease', () => {
  test('is had by one holder at a time, and by another once it is over', () => {
    const id = create(onOne)
    const { epoch, work } = done(begin('A'))
    expect(work).toMatchObject([{ kind: 'create', share: id, pool: 'p' }])
    expect(kindOf(begin('B'))).toBe('lease-held')
    now += 1001
    const taken = done(begin('B'))
    expect(taken.epoch).toBeGreaterThan(epoch)
    expect(taken.work).toMatchObject([{ share: id }])
  })

  test('that was renewed is not over', () => {
    create(onOne)
    done(begin('A'))
    now += 900
    expect(done(renewLeases(world, { holder: 'A', backends: ['farm@one'], leaseMs: 1000 }, now))).toEqual([
      'farm@one',
    ])
    now += 900
    expect(kindOf(begin('B'))).toBe('lease-held')
  })

  test('that was given back can be had at once; so can any by who is alone', () => {
    create(onOne)
    done(begin('A'))
    done(releaseLeases(world, { holder: 'A' }))
    expect(kindOf(begin('B'))).toBe('accepted')
    done(begin('B'))
    expect(kindOf(begin('C', 'farm@one', [], true))).toBe('accepted')
  })

  test('with nothing to do is not taken, so that an idle house writes nothing', () => {
    const decision = begin('A')
    expect(decision.ok && decision.change.ops).toEqual([])
  })

  test('whose answer was lost gives its steps again to who is not at them', () => {
    create(onOne)
    const { work } = done(begin('A'))
    expect(done(begin('A')).work).toMatchObject([{ step: work[0]?.step }])
    expect(done(begin('A', 'farm@one', [work[0]?.step ?? ''])).work).toEqual([])
  })
})

describe('a result', () => {
  test('of who lost the lease is refused, and that of the heir counts', () => {
    const id = create(onOne)
    const first = done(begin('A'))
    now += 1001
    const second = done(begin('B'))
    const step = first.work[0]?.step ?? ''
    expect(kindOf(end('A', first.epoch, step))).toBe('lease-lost')
    done(end('B', second.epoch, step))
    expect(share(id)).toMatchObject({ status: 'available', export_path: '/x' })
    expect(kindOf(end('B', second.epoch, step))).toBe('step-gone')
  })

  test('of a creation that failed leaves no place and nothing booked, and tells the owner', () => {
    const id = create(onOne)
    const { epoch, work } = done(begin('A'))
    const ended = done(end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'no disk' }))
    expect(share(id)).toMatchObject({ status: 'error', pool_id: null })
    expect(ended.messages).toMatchObject([{ resourceId: id, text: expect.stringContaining('no disk') }])
    expect(world.consumers.find(id)).toBeUndefined()
  })

  test('of a creation that left something behind keeps the place booked', () => {
    const id = create(onOne)
    const { epoch, work } = done(begin('A'))
    done(end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'half', isHalfMade: true }))
    expect(share(id)?.pool_id).not.toBeNull()
  })

  test('of a deletion that failed keeps the share, in error_deleting', () => {
    const id = create(onOne)
    const made = done(begin('A'))
    done(end('A', made.epoch, made.work[0]?.step ?? ''))
    done(deleteShare(world, { share: id, force: false, stepUuids: [uuid(), uuid()] }, now))
    const { epoch, work } = done(begin('A'))
    done(end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'busy' }))
    expect(share(id)).toMatchObject({ status: 'error_deleting' })
  })
})

test('a share that was restored in the last moment is not deleted', () => {
  const id = made()
  done(moveToBin(world, { share: id, keepMs: 0 }, now))
  const [due] = findDueInBin(world, now)
  done(restoreShare(world, { share: id }, now))
  const late = { share: id, force: false, ...due, stepUuids: [uuid(), uuid()] as const }
  expect(kindOf(deleteShare(world, late, now))).toBe('share-missing')
})

test('a share in the bin whose deletion fails is tried again, ever more seldom', () => {
  const id = made()
  done(moveToBin(world, { share: id, keepMs: 1000 }, now))
  expect(findDueInBin(world, now)).toEqual([])
  const start = now
  const tried: number[] = []
  for (now += 1000; now < start + 3_600_000 * 24; now += 30_000)
    for (const due of findDueInBin(world, now)) {
      tried.push(now)
      done(deleteShare(world, { ...due, stepUuids: [uuid(), uuid()] }, now))
      expect(findDueInBin(world, now)).toEqual([])
      const { epoch, work } = done(begin('A'))
      done(end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'busy' }))
    }
  expect(tried.slice(0, 5).map(at => (at - start - 1000) / 1000)).toEqual([0, 30, 60, 120, 240])
  expect((tried.at(-1) ?? 0) - (tried.at(-2) ?? 0)).toBe(6 * 3_600_000)
  done(deleteShare(world, { share: id, force: true, stepUuids: [uuid(), uuid()] }, now))
  work('farm@one')
  expect(findDueInBin(world, now)).toEqual([])
})

const made = (more: Partial<CreateShare> = {}, backend = 'farm@one') => {
  const id = create({ onlyHost: `${backend}#p`, ...more })
  const { epoch, work } = done(begin('A', backend))
  for (const one of work) done(end('A', epoch, one.step))
  return id
}
const moveTo = (target: string, id: string, more: { force?: boolean } = {}) =>
  startMigration(
    world,
    { share: id, stepUuid: uuid(), target, newType: null, preserveSnapshots: false, force: false, ...more },
    now,
  )
/** Begins and ends all that waits at a back end. */
const work = (backend: string, result?: StepResult) => {
  const begun = done(begin('A', backend))
  return begun.work.map(one => ({ kind: one.kind, ...done(end('A', begun.epoch, one.step, result)) }))
}

describe('a move', () => {
  const moving = (more: { force?: boolean } = {}) => {
    const id = made()
    done(moveTo('farm@two#p', id, more))
    return id
  }

  test('holds both places until it is done, and the new one afterwards', () => {
    const id = moving()
    expect(world.consumers.holdings(world.consumers.find(id) as never)).toHaveLength(2)
    const { epoch, work } = done(begin('A', 'farm@two'))
    expect(share(id)).toMatchObject({ task_state: 'migration_driver_in_progress' })
    done(end('A', epoch, work[0]?.step ?? ''))
    expect(share(id)).toMatchObject({ status: 'migrating', task_state: 'migration_driver_phase1_done' })
  })

  test('that fails drops its copy before the share is free again', () => {
    const id = moving()
    const { epoch, work } = done(begin('A', 'farm@two'))
    done(end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'torn' }))
    const drop = done(begin('A', 'farm@two'))
    const home = { backend: 'farm@one', pool: 'p', share: id }
    expect(drop.work).toMatchObject([{ kind: 'drop-copy', keeps: [home] }])
    done(end('A', epoch, drop.work[0]?.step ?? ''))
    expect(share(id)).toMatchObject({
      status: 'available',
      task_state: 'migration_error',
      target_pool_id: null,
    })
  })

  test('that is cancelled in the middle takes the step away from who is at it', () => {
    const id = moving()
    const { epoch, work } = done(begin('A', 'farm@two'))
    done(cancelMigration(world, { share: id, stepUuid: uuid() }, now))
    expect(kindOf(end('A', epoch, work[0]?.step ?? ''))).toBe('step-gone')
    const drop = done(begin('A', 'farm@two'))
    done(end('A', epoch, drop.work[0]?.step ?? ''))
    expect(share(id)).toMatchObject({ status: 'available', task_state: 'migration_cancelled' })
  })

  test('of a share that is deleted by force drops the copy first', () => {
    const id = moving()
    done(deleteShare(world, { share: id, force: true, stepUuids: [uuid(), uuid()] }, now))
    expect(done(begin('A', 'farm@one')).work).toEqual([])
    const drop = done(begin('A', 'farm@two'))
    done(end('A', drop.epoch, drop.work[0]?.step ?? ''))
    const gone = done(begin('A', 'farm@one'))
    expect(gone.work).toMatchObject([{ kind: 'delete' }])
    done(end('A', gone.epoch, gone.work[0]?.step ?? ''))
    expect(share(id)).toBeUndefined()
    expect(world.consumers.size).toBe(0)
  })

  test('that is being moved binds shares with same_host to both places', () => {
    const id = moving()
    work('farm@two')
    const beside = { hints: { same_host: [id], different_host: [] } }
    // Until it is completed it is where it is, and completing it asks again.
    expect(share(create(beside))?.status).toBe('creating')
    work('farm@one')
    const other = moving()
    work('farm@two')
    done(completeMigration(world, { share: other, stepUuid: uuid() }, now))
    const late = done(createShare(world, wish({ hints: { same_host: [other], different_host: [] } }), now))
    expect(late.share.status).toBe('error')
    expect(late.messages[0]?.text).toContain(other)
    work('farm@two')
    expect(share(other)).toMatchObject({ status: 'available', task_state: 'migration_success' })
  })

  test('by force binds those who want to be beside it to both places from the beginning', () => {
    const [a, b] = [made(), made()]
    const metadata = { share: a, metadata: {}, hints: { same_host: [b] }, replace: false, checkHints: true }
    done(setMetadata(world, metadata))
    done(moveTo('farm@two#p', a, { force: true }))
    expect(share(a)?.is_move_forced).toBe(1)
    const late = done(createShare(world, wish({ hints: { same_host: [a], different_host: [] } }), now))
    expect(late.share.status).toBe('error')
    done(cancelMigration(world, { share: a, stepUuid: uuid() }, now))
    // It stays where it is.
    expect(share(create({ hints: { same_host: [a], different_host: [] } }))?.status).toBe('creating')
  })

  test('by force that need not have been one stays one: who comes meanwhile does not take it back', () => {
    const id = moving({ force: true })
    work('farm@two')
    const beside = wish({ ...onOne })
    done(createShare(world, beside, now))
    done(
      setMetadata(world, {
        share: id,
        metadata: {},
        hints: { same_host: [beside.uuid] },
        replace: false,
        checkHints: true,
      }),
    )
    done(completeMigration(world, { share: id, stepUuid: uuid() }, now))
    work('farm@two')
    expect(share(id)).toMatchObject({ task_state: 'migration_success', is_forced: 1, is_move_forced: 0 })
  })

  test('by force is against its hints only if it is in the end', () => {
    const id = moving({ force: true })
    expect(share(id)?.is_move_forced).toBe(1)
    work('farm@two')
    done(completeMigration(world, { share: id, stepUuid: uuid() }, now))
    work('farm@two')
    expect(share(id)).toMatchObject({ task_state: 'migration_success', is_forced: 0 })
  })

  test('is completed once, however often its task state is set back', () => {
    const id = moving()
    work('farm@two')
    const complete = () => completeMigration(world, { share: id, stepUuid: uuid() }, now)
    done(complete())
    done(setShareState(world, { share: id, field: 'task_state', value: 'migration_driver_phase1_done' }, now))
    expect(kindOf(complete())).toBe('share-busy')
  })

  test('whose copy cannot be dropped frees the share, and the copy is tried again, ever more seldom', () => {
    const id = moving()
    work('farm@two', { ok: false, error: 'torn' })
    const fails = { ok: false, error: 'busy' } as const
    expect(work('farm@two', fails)).toMatchObject([{ kind: 'drop-copy' }])
    expect(share(id)).toMatchObject({
      status: 'available',
      task_state: 'migration_error',
      target_pool_id: null,
    })
    expect(work('farm@two', fails)).toEqual([])
    now += 2_000
    expect(work('farm@two', fails)).toMatchObject([{ kind: 'drop-source' }])
    now += 2_000
    expect(work('farm@two')).toEqual([])
    now += 2_000
    expect(work('farm@two')).toMatchObject([{ kind: 'drop-source' }])
    now += 1_000_000
    expect(work('farm@two')).toEqual([])
  })

  test('whose remains cannot be cleared away says so in the end, to the owner and to verify', () => {
    const id = moving()
    work('farm@two')
    done(completeMigration(world, { share: id, stepUuid: uuid() }, now))
    work('farm@two')
    const unmanage = () => unmanageShare(world, { share: id, stepUuid: uuid() }, now)
    expect(kindOf(unmanage())).toBe('share-busy')
    const told: string[] = []
    for (let tries = 1; tries <= STUCK_AT; tries++) {
      now += 1_000_000
      const { epoch, work } = done(begin('A'))
      const home = { backend: 'farm@two', pool: 'p', share: id }
      expect(work).toMatchObject([{ kind: 'drop-source', keeps: [home] }])
      const decision = end('A', epoch, work[0]?.step ?? '', { ok: false, error: 'no such host' })
      if (!decision.ok) throw new Error(decision.refusal.kind)
      world.apply(decision.change)
      told.push(...decision.answer.messages.map(({ text }) => text))
    }
    expect(told).toEqual([expect.stringContaining('no such host')])
    expect(checkWorld(world).items).toMatchObject([{ kind: 'share.left-behind' }])
  })

  const snapshotOf = (id: string) => {
    const [type] = world.shares.types.all()
    done(setTypeSpecs(world, { type: type?.uuid ?? '', specs: { snapshot_support: 'True' } }))
    const names = { project: 'p', user: 'u', name: null, description: null, force: false }
    return done(createSnapshot(world, { uuid: uuid(), stepUuid: uuid(), share: id, ...names }, now)).uuid
  }

  test('takes along the snapshots that there are, and of the others what there is of them', () => {
    const id = made()
    const good = snapshotOf(id)
    work('farm@one')
    const failed = snapshotOf(id)
    work('farm@one', { ok: false, error: 'no disk' })
    const move = { share: id, stepUuid: uuid(), target: 'farm@two#p', newType: null, force: false }
    done(startMigration(world, { ...move, preserveSnapshots: true }, now))
    expect(done(begin('A', 'farm@two')).work).toMatchObject([
      { kind: 'copy', facts: { snapshots: [good], otherSnapshots: [failed] } },
    ])
  })

  test('waits for shares that are being made from its snapshots', () => {
    const id = made({}, 'farm@one')
    const snapshot = snapshotOf(id)
    const move = () =>
      done(
        startMigration(
          world,
          {
            share: id,
            stepUuid: uuid(),
            target: 'farm@two#p',
            newType: null,
            preserveSnapshots: true,
            force: false,
          },
          now,
        ),
      ).messages.map(({ text }) => text)
    expect(move()).toEqual([expect.stringContaining('is creating')])
    work('farm@one')
    create({ snapshot })
    expect(move()).toEqual([expect.stringContaining('is being made from snapshot')])
    work('farm@one')
    expect(move()).toEqual([])
    work('farm@two')
    create({ snapshot })
    const complete = () => completeMigration(world, { share: id, stepUuid: uuid() }, now)
    expect(kindOf(complete())).toBe('snapshot-in-use')
    work('farm@one')
    expect(kindOf(complete())).toBe('accepted')
  })

  test('leaves its snapshots where they were until a share that is made from one is made', () => {
    const id = made()
    const snapshot = snapshotOf(id)
    work('farm@one')
    const move = { share: id, stepUuid: uuid(), target: 'farm@two#p', newType: null, force: false }
    done(startMigration(world, { ...move, preserveSnapshots: true }, now))
    work('farm@two')
    done(completeMigration(world, { share: id, stepUuid: uuid() }, now))
    create({ snapshot })
    work('farm@two')
    expect(share(id)?.task_state).toBe('migration_success')
    expect(work('farm@one')).toMatchObject([{ kind: 'create' }])
    expect(work('farm@one')).toMatchObject([{ kind: 'drop-source' }])
  })

  test('does not lead to where an earlier one has left something', () => {
    const id = moving()
    work('farm@two')
    done(completeMigration(world, { share: id, stepUuid: uuid() }, now))
    work('farm@two')
    expect(done(moveTo('farm@one#p', id)).messages[0]?.text).toContain('earlier move')
    expect(share(id)).toMatchObject({ status: 'available', task_state: 'migration_error' })
    work('farm@one')
    done(moveTo('farm@one#p', id))
    expect(share(id)).toMatchObject({ status: 'migrating' })
  })
})

describe('a ledger that says no', () => {
  /** As nobody can do from outside: the largest amount that may be held in a pool. */
  const limit = (name: string, maxUnit: number) => {
    const provider = world.providers.uuid(world.providers.findName(name) as never)
    const record = { total: 3, reserved: 0, minUnit: 1, maxUnit, stepSize: 1, allocationRatio: 1 }
    const inventories = [['CUSTOM_SHARE_GB', record]] as const
    const mayBeFullyReserved = true
    const set = replaceInventories(
      world,
      { provider, generation: null, inventories, mayBeFullyReserved },
      now,
    )
    if (!set.ok) throw new Error(set.refusal.kind)
    world.apply(set.change)
  }

  test('does not keep a step from ending: the share is in error, and its owner gets a message', () => {
    const id = create({ ...onOne, size: 2 })
    const { epoch, work } = done(begin('A'))
    limit('farm@one#p', 1)
    const ended = done(end('A', epoch, work[0]?.step ?? ''))
    expect(share(id)).toMatchObject({ status: 'error' })
    expect(ended.messages).toMatchObject([{ text: expect.stringContaining('units-violated') }])
    expect(world.shares.steps.all()).toEqual([])
  })

  test('leaves a new share in error, and one that is there as it is', () => {
    const id = made({ size: 1 })
    limit('farm@one#p', 1)
    expect(share(create({ ...onOne, size: 2 }))).toMatchObject({ status: 'error', pool_id: null })
    const resize = { share: id, stepUuid: uuid(), how: 'extend', size: 2 } as const
    expect(done(resizeShare(world, resize, now)).messages).toHaveLength(1)
    expect(share(id)).toMatchObject({ status: 'available', size: 1 })
    const large = made({ size: 2 }, 'farm@two')
    expect(done(moveTo('farm@one#p', large)).messages).toHaveLength(1)
    expect(share(large)).toMatchObject({ status: 'available', task_state: 'migration_error' })
  })
})
