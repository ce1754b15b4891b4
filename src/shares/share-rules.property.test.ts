import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../test/property-runs.ts'
import { HINT_KEYS } from './share/hints.ts'
import { TASK_STATES } from './share/states.ts'
import { BACKENDS, type Fate, POOLS, SmallFarm } from './share-rules.fixture.ts'

const which = fc.nat({ max: 2 })
const some = fc.array(which, { maxLength: 2 })
const backend = fc.constantFrom(...BACKENDS)
const size = fc.integer({ min: 1, max: 4 })
const how = fc.constantFrom('extend' as const, 'shrink' as const)
const target = fc.constantFrom(...POOLS)
const from = fc.option(which, { freq: 2 })
const [force, keep] = [fc.boolean(), fc.boolean()]
const task = fc.oneof(
  fc.constant(null),
  fc.constant('migration_driver_phase1_done'),
  fc.constantFrom(...TASK_STATES),
)
const status = fc.constantFrom('available', 'available', 'error')
const kind = fc.constantFrom('same_host' as const, 'different_host' as const)
const fate = fc.constantFrom<Fate[]>('died before', 'died after', 'failed before', 'failed after')
const are = <K extends string>(name: K) => fc.constant(name)

const turn = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: are('create'), size, same: some, different: some, from }) },
  { weight: 1, arbitrary: fc.record({ do: are('delete'), which, force }) },
  { weight: 1, arbitrary: fc.record({ do: are('resize'), which, how, size }) },
  { weight: 1, arbitrary: fc.record({ do: are('snapshot'), which, force }) },
  { weight: 1, arbitrary: fc.record({ do: are('drop-snapshot'), which, force }) },
  { weight: 4, arbitrary: fc.record({ do: are('migrate'), which, target, force, keep }) },
  { weight: 3, arbitrary: fc.record({ do: are('complete'), which }) },
  { weight: 1, arbitrary: fc.record({ do: are('cancel'), which }) },
  { weight: 3, arbitrary: fc.record({ do: are('reset'), which, task, status }) },
  { weight: 2, arbitrary: fc.record({ do: are('edit'), which, kind, others: some }) },
  { weight: 1, arbitrary: fc.record({ do: are('drop-hint'), which, kind }) },
  { weight: 1, arbitrary: fc.record({ do: are('bin'), which, keep }) },
  { weight: 1, arbitrary: fc.record({ do: are('unmanage'), which }) },
  { weight: 3, arbitrary: fc.record({ do: are('allow'), which, to: which }) },
  { weight: 2, arbitrary: fc.record({ do: are('deny'), which, to: which }) },
  { weight: 7, arbitrary: fc.record({ do: are('work'), backend, fate: fc.constant<Fate>('done') }) },
  { weight: 2, arbitrary: fc.record({ do: are('work'), backend, fate }) },
)
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

function take(farm: SmallFarm, one: Turn): void {
  const { shares } = farm.world
  const all = shares.shares.all().map(({ uuid }) => uuid)
  const named = (places: readonly number[]) => places.flatMap(at => all[at % all.length] ?? [])
  const rows = shares.snapshots.all()
  if (one.do === 'work') farm.work(one.backend, one.fate)
  else if (one.do === 'create') {
    const snapshot = one.from === null ? null : (rows[one.from % rows.length]?.uuid ?? null)
    farm.create(Math.min(2, one.size), named(one.same), named(one.different), snapshot)
  } else if (one.do === 'drop-snapshot') {
    const snapshot = rows[one.which % rows.length]?.uuid
    if (snapshot !== undefined)
      farm.ask('shares:delete-snapshot', { snapshot, stepUuid: farm.uuid(), force: one.force })
  } else {
    const [share] = named([one.which])
    if (share === undefined) return
    if (one.do === 'edit') farm.edit(share, { [one.kind]: [...new Set(named(one.others))] })
    else change(farm, share, one)
  }
}

type OfShare = Exclude<Turn, { do: 'work' | 'create' | 'drop-snapshot' | 'edit' }>

function change(farm: SmallFarm, share: string, one: OfShare): void {
  const stepUuid = farm.uuid()
  switch (one.do) {
    case 'delete':
      farm.ask('shares:delete', { share, force: one.force, stepUuids: [stepUuid, farm.uuid()] })
      break
    case 'resize':
      farm.ask('shares:resize', { share, stepUuid, how: one.how, size: one.size })
      break
    case 'snapshot':
      farm.ask('shares:create-snapshot', {
        uuid: farm.uuid(),
        stepUuid,
        share,
        project: 'p',
        user: 'u',
        name: null,
        description: null,
        force: one.force,
      })
      break
    case 'migrate':
      farm.ask('shares:start-migration', {
        share,
        stepUuid,
        target: one.target,
        newType: null,
        preserveSnapshots: one.keep,
        force: one.force,
      })
      break
    case 'complete':
      farm.ask('shares:complete-migration', { share, stepUuid })
      break
    case 'cancel':
      farm.ask('shares:cancel-migration', { share, stepUuid })
      break
    case 'reset':
      farm.ask('shares:set-state', { share, field: 'task_state', value: one.task })
      farm.ask('shares:set-state', { share, field: 'status', value: one.status })
      break
    case 'drop-hint':
      farm.ask('shares:delete-metadata', { share, key: HINT_KEYS[one.kind], checkHints: true })
      break
    case 'bin':
      if (one.keep) farm.ask('shares:soft-delete', { share, keepMs: 1_000_000 })
      else farm.ask('shares:restore', { share })
      break
    case 'allow':
      farm.allow(share, `10.0.0.${one.to}`)
      break
    case 'deny': {
      const rules = farm.world.shares.listAccess(farm.world.shares.findShare(share)?.id ?? -1)
      const rule = rules[one.to % rules.length]?.uuid ?? 'none'
      farm.ask('shares:deny-access', { share, rule, stepUuid, allowsError: true })
      break
    }
    case 'unmanage':
      // What is on the disk stays there, and is nobody's.
      farm.unmanage(share)
      break
    default:
      one satisfies never
  }
}

test('after any requests and failures the ledger equals the shares, hints hold, access follows the rules, every step ends, nothing is left', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 60, size: 'max' }), turns => {
      const farm = new SmallFarm()
      for (const one of turns) take(farm, one)
      farm.drain()
      // Everything can be got rid of, and then nothing is held and nothing is on the disks.
      const { shares, consumers } = farm.world
      for (const { uuid } of shares.shares.all()) {
        farm.ask('shares:set-state', {
          share: uuid,
          field: 'task_state',
          value: 'migration_driver_phase1_done',
        })
        farm.ask('shares:cancel-migration', { share: uuid, stepUuid: farm.uuid() })
        farm.drain()
        farm.ask('shares:set-state', { share: uuid, field: 'task_state', value: null })
      }
      for (const { uuid } of shares.snapshots.all())
        farm.ask('shares:delete-snapshot', { snapshot: uuid, stepUuid: farm.uuid(), force: true })
      farm.drain()
      for (const { uuid } of shares.shares.all())
        farm.ask('shares:delete', { share: uuid, force: true, stepUuids: [farm.uuid(), farm.uuid()] })
      farm.drain()
      expect([shares.shares.all(), shares.snapshots.all(), shares.steps.all()]).toEqual([[], [], []])
      expect([...shares.hints.rows(), ...shares.accessRules.all()]).toEqual([])
      expect([...farm.exports.values()].flatMap(clients => [...clients])).toEqual([])
      expect([consumers.size, farm.disks.size]).toEqual([0, 0])
    }),
    { numRuns: countRuns(300) },
  )
})
