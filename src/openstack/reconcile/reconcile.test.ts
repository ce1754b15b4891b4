import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Cloud } from '../cloud/cloud.ts'
import { FakeCloud } from '../cloud/fake-cloud.fixture.ts'
import type { Ledger } from '../placement/ledger.ts'
import { DAMAGES } from './damages.fixture.ts'
import { findDamage } from './find-damage.ts'
import { serveNova } from './nova-answers.fixture.ts'
import type { NovaServer, NovaState } from './nova-state.ts'
import { type Cloud as CloudState, clouds, FOREIGN, idOf, serverOf } from './random-cloud.fixture.ts'
import { NovaReader } from './read-nova.ts'
import { reconcile } from './reconcile.ts'

const [whole] = fc.sample(clouds, { numRuns: 1, seed: 1 }) as [CloudState]
const OPTIONS = { unknownAreServers: false }
const damaged = (kind: string): CloudState => {
  const found = DAMAGES.find(one => one.kind === kind)
  if (found === undefined) throw new Error(kind)
  return found.inject(whole)
}

const withServer = ({ nova, ledger }: CloudState, id: string, change: Partial<NovaServer>): CloudState => {
  const server = { ...(nova.servers.get(id) as NovaServer), ...change }
  return { nova: { ...nova, servers: new Map(nova.servers).set(id, server) }, ledger }
}

const find = async ({ nova, ledger }: CloudState, options = OPTIONS) => {
  const { findings, notJudged } = await findDamage(nova, ledger, options)
  return {
    kinds: findings.map(({ kind }) => kind),
    left: notJudged.map(({ subject }) => subject.id),
    notJudged,
  }
}

describe('two looks at a running cloud', () => {
  let fake: FakeCloud

  beforeEach(async () => {
    fake = await FakeCloud.start()
  })
  afterEach(() => fake.end())

  const look = async (before: CloudState, after: CloudState) => {
    serveNova(fake, before.nova)
    let ledger: Ledger = before.ledger
    const settle = async () => {
      serveNova(fake, after.nova)
      ledger = after.ledger
    }
    const nova = await NovaReader.connect(new Cloud(fake.settings()))
    return reconcile({ nova, readLedger: async () => ledger, settle }, OPTIONS)
  }

  test('a whole cloud needs only one', async () => {
    const { findings, compared } = await look(whole, damaged('missing'))
    expect(findings).toEqual([])
    expect(compared).toMatchObject({ servers: whole.nova.servers.size, computes: 5 })
  })

  test.each(DAMAGES)('$kind of $subject is confirmed if it stays', async ({ kind, subject, inject }) => {
    const cloud = inject(whole)
    const { findings, passed } = await look(cloud, cloud)
    expect(findings.map(one => [one.kind, one.subject.id])).toEqual([[kind, subject]])
    expect(passed).toBe(0)
  })

  test('what the second look does not find was no damage', async () => {
    const { findings, passed } = await look(damaged('missing'), whole)
    expect(findings).toEqual([])
    expect(passed).toBe(1)
  })

  test('a server that begins to move between the looks is not judged', async () => {
    const before = damaged('wrong-host')
    const after = withServer(before, serverOf('plain'), { taskState: 'migrating' })
    const { findings, passed, notJudged } = await look(before, after)
    expect([findings, passed]).toEqual([[], 1])
    expect(notJudged).toContainEqual({
      subject: { type: 'server', id: serverOf('plain'), name: 'server-0' },
      reason: 'its task is migrating',
    })
  })

  test('a server that the list of servers missed is asked for by its uuid', async () => {
    const [{ servers }, id] = [whole.nova, serverOf('plain')]
    const listed = new Map(servers)
    listed.delete(id)
    serveNova(fake, { ...whole.nova, servers: listed })
    serveServer(fake, whole.nova, id)
    const nova = await NovaReader.connect(new Cloud(fake.settings()))
    const sides = { nova, readLedger: async () => whole.ledger, settle: async () => undefined }
    expect((await reconcile(sides, OPTIONS)).findings).toEqual([])
  })
})

/** Only by its uuid, as right after it was made. */
function serveServer(fake: FakeCloud, nova: NovaState, id: string): void {
  const before = fake.compute.get('/servers/detail')
  serveNova(fake, nova)
  fake.compute.set('/servers/detail', before as object)
  expect(fake.compute.has(`/servers/${id}`)).toBe(true)
}

describe('what cannot be told', () => {
  test('a consumer without a type that Nova does not know is not judged, unless told that it is a server', async () => {
    const stranger = FOREIGN[3]?.uuid
    const { kinds, left } = await find(whole)
    expect(kinds).toEqual([])
    expect(left).toContain(stranger)
    expect((await find(whole, { unknownAreServers: true })).kinds).toEqual(['orphaned'])
  })

  test('consumers of other types are never named', async () => {
    const { left } = await find(whole)
    for (const one of [FOREIGN[0], FOREIGN[1], FOREIGN[2], FOREIGN[4]]) expect(left).not.toContain(one?.uuid)
  })

  test('while a cell does not answer nothing is orphaned and no compute gone', async () => {
    for (const kind of ['orphaned', 'orphaned-deleted', 'orphaned-migration', 'gone-compute'] as const) {
      const { nova, ledger } = damaged(kind)
      expect((await find({ nova: { ...nova, isPartial: true }, ledger })).kinds, kind).toEqual([])
    }
  })

  test('amounts are not judged where Nova does not show extra specs', async () => {
    const cloud = withServer(damaged('wrong-amount'), serverOf('plain'), { flavor: null })
    expect(await find(cloud)).toMatchObject({ kinds: [], left: expect.arrayContaining([serverOf('plain')]) })
  })

  test('processors of the other class are not judged where the image may ask for them', async () => {
    const cloud = withServer(damaged('wrong-cpu-class'), serverOf('pinned'), { imageProperties: null })
    expect(await find(cloud)).toMatchObject({ kinds: [], left: expect.arrayContaining([serverOf('pinned')]) })
  })

  test('a dedicated server may hold VCPU where its host has no PCPU yet', async () => {
    const { nova, ledger } = damaged('wrong-cpu-class')
    const host = ledger.providers.get(idOf(1, 3))
    if (host === undefined) throw new Error('no host')
    const { PCPU: _, ...inventories } = host.inventories
    const providers = new Map(ledger.providers).set(host.uuid, { ...host, inventories })
    expect((await find({ nova, ledger: { ...ledger, providers } })).kinds).toEqual([])
  })

  test('an evacuated server holds its dead host until that starts again', async () => {
    const { notJudged } = await find(whole)
    expect(notJudged.find(({ subject }) => subject.id === serverOf('evacuated'))?.reason).toMatch(
      /cn4 lets go of it when its nova-compute starts/,
    )
  })

  test('a provider that something is held of is told and not deleted', async () => {
    const { nova, ledger } = whole
    const gone = nova.computes.filter(({ name }) => name !== 'cn1')
    const { findings } = await findDamage(
      { ...nova, computes: gone, serviceHosts: new Set() },
      ledger,
      OPTIONS,
    )
    const found = findings.find(({ kind, subject }) => kind === 'gone-compute' && subject.name === 'cn1')
    expect(found?.repair).toBe(null)
    expect(found?.ledger).toMatch(/consumers hold something of it/)
  })
})
