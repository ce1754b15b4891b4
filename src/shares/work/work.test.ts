/** Leases and steps, as rules: nothing here waits for anything. */
import { beforeEach, describe, expect, test } from 'vitest'
import { checkWorld } from '../../store/check-world.ts'
import type { Decision } from '../../world/decision.ts'
import { World } from '../../world/world.ts'
import { declareBackends } from '../backends/backends.ts'
import type { ShareRefusal } from '../refusals.ts'
import { declareTypes } from '../share-types/share-types.ts'
import { type CreateShare, createShare } from '../shares/create.ts'
import { deleteShare } from '../shares/delete.ts'
import { NO_NAMES } from '../shares/hints.ts'
import { cancelMigration, startMigration } from '../shares/migrate.ts'
import { beginWork, releaseLeases, renewLeases } from './leases.ts'
import { endStep, type StepResult } from './results.ts'

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
  ...{
    uuid: uuid(),
    stepUuid: uuid(),
    project: 'p',
    user: 'u',
    isAdmin: true,
    name: null,
    description: null,
  },
  ...{ size: 1, protocol: 'NFS', type: world.shares.types.all()[0]?.uuid ?? '', isPublic: false, zone: null },
  ...{
    snapshot: null,
    metadata: {},
    hints: NO_NAMES,
    ownHints: NO_NAMES,
    onlyHost: null,
    ranked: [],
    ...more,
  },
})
const create = (more: Partial<CreateShare> = {}) => done(createShare(world, wish(more), now)).share.uuid
const begin = (holder: string, backend = 'farm@one', running: string[] = [], isAlone = false) =>
  beginWork(world, { backend, holder, leaseMs: 1000, isAlone, running, stepsMax: 10 }, now)
const end = (
  holder: string,
  epoch: number,
  step: string,
  result: StepResult = { ok: true, exportPath: '/x' },
) => endStep(world, { step, holder, epoch, result, nextUuid: uuid() }, now)
const share = (id: string) => world.shares.shares.find(id)

beforeEach(() => {
  world = new World()
  now = 1_000_000
  uuids = 0
  const pools = [{ name: 'p', totalGb: 3, reservedPercentage: 0, overSubscription: 1, capabilities: {} }]
  const backends = ['one', 'two'].map(name => ({
    ...{ name, driver: 'simulated', settings: {}, availabilityZone: 'nova', capabilities: {}, pools },
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

describe('a move', () => {
  const moving = () => {
    const id = create(onOne)
    const made = done(begin('A'))
    done(end('A', made.epoch, made.work[0]?.step ?? ''))
    const command = {
      share: id,
      stepUuid: uuid(),
      target: 'farm@two#p',
      newType: null,
      preserveSnapshots: false,
      force: false,
    }
    done(startMigration(world, command, now))
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
    expect(drop.work).toMatchObject([{ kind: 'drop-copy' }])
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
})
