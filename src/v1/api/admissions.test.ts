/** Advice about hosts in explanations: what it says must help, and its commands must do what it says. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const SIZE = { VCPU: { total: 8 }, MEMORY_MB: { total: 8_192 } }
const SMALL = { vcpus: 1, ram: 512, disk: 0 }
const forced = (metadata: object) => ({ force_metadata_check: 'true', ...metadata })

interface Change {
  readonly kind: string
  readonly text: string
  readonly command: string | null
}

/** The advice for host `one` in aggregates with this metadata, for a stored flavor with these extra specs. */
async function advice(extra_specs: object, ...metadata: object[]): Promise<readonly Change[]> {
  const { status, text } = await post('/v1/apply?owner=test', {
    hosts: [{ name: 'one', uuid: uuid(1), inventories: SIZE }],
    flavors: [{ name: 'f', ...SMALL, extra_specs }],
    aggregates: metadata.map((one, at) => ({ name: `a${at + 1}`, metadata: one, hosts: ['one'] })),
  })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  const { json } = await post('/v1/explain/schedule', { flavor: 'f' })
  expect(json.passed).toBe(0)
  return json.changes
}

const admissionsIn = (changes: readonly Change[]) =>
  changes.filter(({ kind }) => kind === 'admit-hosts').map(({ text, command }) => [text, command])

test('what a forced aggregate demands is set on the flavor, and not taken from the aggregate as well', async () => {
  expect(admissionsIn(await advice({ tier: 'gold' }, forced({ tier: 'tin' })))).toEqual([
    ['Set tier="tin" on the flavor (for one).', 'berth flavor set f tier=tin'],
  ])
})

test.each([
  ['demand different values', { tier: 'lead' }, 'gold', 'tin'],
  ['are content with the flavor as it is, or are not', { tier: 'gold' }, 'gold', 'tin'],
])('no value is advised where aggregates %s', async (_, specs, one, other) => {
  const changes = await advice(specs, forced({ tier: one }), forced({ tier: other }))
  expect(admissionsIn(changes)).toEqual([])
})

test('a demanded value that would be read as an operator is not advised', async () => {
  expect(admissionsIn(await advice({}, forced({ size: '>= 4' })))).toEqual([])
})

test('a demand that any value meets names none', async () => {
  expect(admissionsIn(await advice({}, forced({ rack: '*' })))).toEqual([
    ['Give the flavor any value of rack (for one).', null],
  ])
})

test('hosts that need the same each have their command', async () => {
  const hosts = ['one', 'two'].map((name, at) => ({
    name,
    uuid: uuid(at + 1),
    inventories: SIZE,
    forced_down: true,
  }))
  const { status } = await post('/v1/apply?owner=test', { hosts, flavors: [], aggregates: [] })
  expect(status).toBe(200)
  const { json } = await post('/v1/explain/schedule', { flavor: SMALL })
  expect(admissionsIn(json.changes)).toEqual([
    ['Bring the host up (for one, two).', 'berth host set one --up && berth host set two --up'],
  ])
})

test('of a move no command changes the stored flavor, which the server does not ask for again', async () => {
  const hosts = ['one', 'two'].map((name, at) => ({
    name,
    uuid: uuid(at + 1),
    inventories: SIZE,
    forced_down: false,
  }))
  const aggregates = [{ name: 'a1', metadata: forced({ tier: 'tin' }), hosts: ['two'] }]
  const flavors = [{ name: 'f', ...SMALL, extra_specs: {} }]
  expect((await post('/v1/apply?owner=test', { hosts, flavors, aggregates })).status).toBe(200)
  const instance = uuid(77)
  expect((await post('/v1/schedule', { flavor: 'f', instances: [instance] })).status).toBe(200)
  const kept = (await post('/v1/explain/schedule', { instance })).json.changes as Change[]
  expect(kept.map(({ command }) => command)).toEqual(kept.map(() => null))
  const anew = (await post('/v1/explain/schedule', { instance, flavor: 'f' })).json.changes as Change[]
  expect(anew[0]?.command).toBe('berth flavor set f tier=tin')
})
