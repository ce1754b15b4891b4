/** The loop around the steps, with drivers that fail where they should not. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { World } from '../../world/world.ts'
import { declareBackends } from '../backends/backends.ts'
import { DirectoryDriver } from '../drivers/directory.driver.ts'
import type { Driver } from '../drivers/driver.ts'
import { makeSimulatedDriver } from '../drivers/simulated.driver.ts'
import { shareRules } from '../rules.ts'
import { createShare } from '../share/create.ts'
import { declareTypes } from '../share-types/share-types.ts'
import { ShareWorker, type ShareWorkerParts } from './share-worker.loop.ts'

let world: World
let workshop: ShareWorker
let driver: Driver
let failing: (kind: string) => Error | null
let submitted: string[]
let last = 0
const uuid = () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`
const apply = (decision: { ok: boolean; change?: unknown; refusal?: unknown; answer?: unknown }) => {
  if (decision.ok) world.apply(decision.change as never)
  return decision
}

beforeEach(() => {
  world = new World()
  submitted = []
  failing = () => null
  driver = makeSimulatedDriver({
    id: 'one',
    backend: 'farm@one',
    settings: {},
    quotaCommand: [],
    ownPaths: [],
  })
  const pool = { totalGb: 3, reservedPercentage: 0, overSubscription: 1, capabilities: {} }
  const pools = ['p', 'q'].map(name => ({ ...pool, name }))
  const one = {
    name: 'one',
    driver: 'simulated',
    settings: {},
    availabilityZone: 'nova',
    capabilities: {},
    pools,
  }
  const declared = { host: 'farm', backends: [one] }
  apply(declareBackends(world, { declared, owner: 'o', newUuids: [uuid(), uuid(), uuid()] }, 1))
  const types = [{ name: 't', description: null, isPublic: true, extraSpecs: {} }]
  apply(declareTypes(world, { types, defaultType: 't', newUuids: [uuid()] }, 1))
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const submit = async ({ kind, ...command }: { kind: keyof typeof shareRules }) => {
    submitted.push(kind)
    const failure = failing(kind)
    if (failure !== null) throw failure
    return apply(shareRules[kind](world, command as never, Date.now()))
  }
  workshop = new ShareWorker({
    world,
    sequencer: { submit } as unknown as ShareWorkerParts['sequencer'],
    log: quiet,
    newUuid: uuid,
    holder: uuid(),
    isAlone: true,
    leaseMs: 1_000,
    nowMs: Date.now,
    open: () => driver,
  })
})
afterEach(() => workshop.stop(0))

const create = () => {
  const id = uuid()
  const wish = {
    uuid: id,
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
  }
  apply(createShare(world, wish, Date.now()))
  return id
}
const share = (id: string) => world.shares.findShare(id)
const until = async (isSo: () => boolean) => {
  for (let tries = 0; tries < 200 && !isSo(); tries++) await sleep(10)
  expect(isSo()).toBe(true)
}

test('a creation that cannot even begin holds nothing', async () => {
  driver = { ...driver, adopt: () => Promise.reject(new Error('the disks are away')) }
  const id = create()
  workshop.wake()
  await until(() => share(id)?.status === 'error')
  expect(share(id)?.pool_id).toBeNull()
})

test('one that was begun before keeps its place, because something may be there', async () => {
  driver = { ...driver, adopt: () => Promise.reject(new Error('the disks are away')) }
  const id = create()
  const begun = {
    backend: 'farm@one',
    holder: 'who died',
    leaseMs: 1,
    isAlone: true,
    running: [],
    stepsMax: 1,
  }
  apply(shareRules['shares:begin-work'](world, begun, Date.now()))
  workshop.wake()
  await until(() => share(id)?.status === 'error')
  expect(share(id)?.pool_id).not.toBeNull()
})

test('a move to another name of where it is leaves the share as it was', async () => {
  const root = await mkdtemp(join(tmpdir(), 'berth-workshop-'))
  await mkdir(join(root, 'p'))
  await symlink('p', join(root, 'q'))
  driver = new DirectoryDriver({
    id: 'one',
    backend: 'farm@one',
    settings: { root },
    quotaCommand: [],
    ownPaths: [],
  })
  const id = create()
  workshop.start()
  await until(() => share(id)?.status === 'available')
  await writeFile(join(root, 'p', id, 'a'), 'the only copy')
  const here = nameOrEmpty(world, share(id)?.pool_id ?? null)
  const move = {
    share: id,
    stepUuid: uuid(),
    target: here.endsWith('p') ? 'farm@one#q' : 'farm@one#p',
    newType: null,
    preserveSnapshots: false,
    force: false,
  }
  apply(shareRules['shares:start-migration'](world, move, Date.now()))
  expect(share(id)?.status).toBe('migrating')
  await until(() => share(id)?.task_state === 'migration_error' && world.shares.steps.all().length === 0)
  expect(await readFile(join(root, 'p', id, 'a'), 'utf8')).toBe('the only copy')
  await rm(root, { recursive: true })
})

test('a result that cannot be written is not tried over and over', async () => {
  failing = kind => (kind === 'shares:end-step' ? new Error('a fault of ours') : null)
  create()
  workshop.start()
  await until(() => submitted.includes('shares:end-step'))
  await sleep(600)
  expect(submitted.filter(kind => kind === 'shares:end-step')).toHaveLength(1)
})
