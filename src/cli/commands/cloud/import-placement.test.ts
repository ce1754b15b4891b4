import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { uuidOf, writeSmallPlacement } from '../../../openstack/placement/small-placement.fixture.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let placement: string

beforeEach(async () => {
  berth = await Berth.start()
  placement = join(berth.directory, 'placement.db')
  writeSmallPlacement(placement)
})
afterEach(() => berth.stop())

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'admin'])
const importPlacement = (...args: string[]) => at('import', 'placement', '--from', placement, ...args)
const compare = (...args: string[]) => at('compare', '--with', placement, ...args)

function change(statement: string): void {
  const database = new DatabaseSync(placement)
  database.exec(statement)
  database.close()
}

test('a Placement is taken over whole, and compares equal', async () => {
  expect((await compare()).exitCode).toBe(1)
  const { exitCode, json } = await importPlacement('--json')
  expect([exitCode, json]).toMatchObject([
    0,
    {
      learned: ['HW_FROM_NEXT_YEAR'],
      untakable: [],
      report: { providers: { created: 3 }, consumers: { created: 2 } },
    },
  ])
  expect(await compare()).toMatchObject({
    exitCode: 0,
    out: 'equal: 3 providers, 2 consumers, 2 allocations\n',
  })
  expect((await importPlacement('--json')).json).toMatchObject({ lines: 0 })
})

test('a consumer without allocations keeps its generation, as in Placement', async () => {
  await importPlacement()
  const idle = `/allocations/${uuidOf(102)}`
  expect((await berth.ask('GET', idle, { minor: 39 })).json).toEqual({ allocations: {} })
  expect((await berth.ask('DELETE', idle, { minor: 39 })).status).toBe(404)
  const claim = (consumer_generation: number | null) =>
    berth.ask('PUT', idle, {
      minor: 38,
      body: {
        allocations: { [uuidOf(1)]: { resources: { VCPU: 1 } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation,
        consumer_type: 'INSTANCE',
      },
    })
  expect((await claim(null)).status).toBe(409)
  expect((await claim(1)).status).toBe(204)
})

test('a dry run writes nothing and tells what it would do', async () => {
  const { exitCode, out, err } = await importPlacement('--dry-run')
  expect(exitCode).toBe(0)
  expect(out).toMatch(/to write +3 providers, 2 consumers, 0 removals/)
  expect(err).toBe('berth: dry run: nothing was written\n')
  expect((await berth.ask('GET', '/resource_providers', { minor: 39 })).json.resource_providers).toEqual([])
})

test('repeated, it follows what changed; with --mirror also what is gone', async () => {
  await importPlacement()
  change(`UPDATE resource_providers SET generation = 20 WHERE id = 2; DELETE FROM allocations; DELETE FROM consumers;
    DELETE FROM inventories WHERE id = 2; DELETE FROM resource_providers WHERE id = 7`)
  const kept = await importPlacement('--json')
  expect(kept.json).toMatchObject({ only_here: { providers: 1, consumers: 2 } })
  expect((await compare()).out).toContain('cn1-numa0')
  const mirrored = await importPlacement('--mirror')
  expect(mirrored.out).toMatch(/consumers +0 +0 +0 +2\n$/)
  expect((await compare()).exitCode).toBe(0)
})

test('--mirror removes custom names that the Placement does not have', async () => {
  await importPlacement()
  const put = (path: string) => berth.ask('PUT', path, { minor: 39 })
  for (const path of ['/traits/CUSTOM_OURS', '/resource_classes/CUSTOM_OURS']) await put(path)
  expect((await compare()).out).toContain('CUSTOM_OURS')
  await importPlacement()
  expect((await compare()).exitCode).toBe(1)
  expect((await importPlacement('--mirror', '--dry-run')).out).toContain('0 consumers, 2 removals')
  expect((await importPlacement('--mirror')).exitCode).toBe(0)
  expect((await compare()).exitCode).toBe(0)
})

test('what cannot be taken stops it before anything is written; the rest can be taken without it', async () => {
  change('DELETE FROM consumers WHERE id = 1')
  const stopped = await importPlacement()
  expect(stopped.exitCode).toBe(1)
  expect(stopped.out).toContain(
    `allocations of consumer ${uuidOf(101)}: the consumer has no row: run placement-manage db online_data_migrations first`,
  )
  expect(stopped.err).toContain('nothing was written')
  expect((await berth.ask('GET', '/resource_providers', { minor: 39 })).json.resource_providers).toEqual([])
  const rest = await importPlacement('--skip-invalid', '--json')
  expect(rest.json).toMatchObject({ report: { providers: { created: 3 }, consumers: { created: 1 } } })
})

test('a Placement is read through its API too', async () => {
  await importPlacement()
  const other = await Berth.start()
  try {
    const from = ['--from', `${berth.server.url}/placement`, '--placement-token', 'admin']
    const { exitCode, json } = await run([
      'import',
      'placement',
      ...from,
      '--url',
      other.server.url,
      '--token',
      'admin',
      '--json',
    ])
    expect([exitCode, json]).toMatchObject([
      0,
      { report: { providers: { created: 3 }, consumers: { created: 1 } } },
    ])
  } finally {
    await other.stop()
  }
})

test('the way back: the ledger is written into another Placement, which then has the same but for generations', async () => {
  await importPlacement()
  const other = await Berth.start()
  const to = ['--to', `${other.server.url}/placement`, '--placement-token', 'admin']
  const listed = async (path: string) => (await other.ask('GET', path, { minor: 39 })).json
  try {
    await other.ask('POST', '/resource_providers', { minor: 39, body: { name: 'odd', uuid: uuidOf(9) } })
    await other.ask('PUT', '/traits/CUSTOM_ODD', { minor: 39 })
    await other.ask('POST', '/v1/standard-traits', { body: { traits: ['HW_FROM_NEXT_YEAR'] } })
    const dry = await at('export', 'placement', ...to, '--dry-run')
    expect(dry.out).toContain('to write: 3 providers, 1 consumer, 0 removals')
    expect((await listed('/resource_providers')).resource_providers).toHaveLength(1)
    const written = await at('export', 'placement', ...to, '--mirror', '--json')
    expect([written.exitCode, written.json]).toMatchObject([0, { refused: [], only_there: { providers: 1 } }])
    expect((await other.ask('GET', '/traits/CUSTOM_ODD', { minor: 39 })).status).toBe(404)
    const fields = (differences: { field: string }[]) => new Set(differences.map(({ field }) => field))
    const compared = await run([
      ...['compare', '--with', placement, '--url', other.server.url, '--token', 'admin', '--json'],
    ])
    // The API cannot create a consumer without allocations.
    expect(fields(compared.json.differences)).toEqual(new Set(['generation', 'exists']))
    expect((await compare('--ignore-generations')).exitCode).toBe(0)
    expect((await listed(`/allocations/${uuidOf(101)}`)).allocations).toMatchObject({ [uuidOf(1)]: {} })
    expect((await at('export', 'placement', ...to, '--json')).json).toMatchObject({ lines: 0, refused: [] })
    // The API does not show a consumer without allocations, so it is no difference, and a mirror keeps it.
    const api = [`${other.server.url}/placement`, '--placement-token', 'admin']
    expect((await at('compare', '--with', ...api, '--ignore-generations')).exitCode).toBe(0)
    const mirrored = await at('import', 'placement', '--from', ...api, '--mirror', '--json')
    expect(mirrored.json).toMatchObject({ report: { consumers: { removed: 0 } } })
  } finally {
    await other.stop()
  }
})

test('the way back goes on after a refusal, and names it', async () => {
  await importPlacement()
  const other = await Berth.start()
  try {
    const to = ['--to', `${other.server.url}/placement`, '--placement-token', 'admin']
    const { exitCode, out } = await at('export', 'placement', ...to)
    expect(exitCode).toBe(1)
    expect(out).toMatch(/Refused: 1\n {2}provider cn2 .*HW_FROM_NEXT_YEAR/)
    const { json } = await other.ask('GET', '/resource_providers', { minor: 39 })
    expect(json.resource_providers).toHaveLength(3)
  } finally {
    await other.stop()
  }
})

test('without a source there is one line that says how to name one', async () => {
  const { exitCode, err } = await at('import', 'placement')
  expect([exitCode, err]).toEqual([
    64,
    'berth: name the Placement, by an option or in BERTH_PLACEMENT_DATABASE\n',
  ])
})

test('a source that cannot be read is named with the reason', async () => {
  await rm(placement)
  const { exitCode, err } = await importPlacement()
  expect([exitCode, err]).toEqual([69, expect.stringContaining('the Placement cannot be read: ENOENT')])
})

test('a token that the Placement refuses is not blamed on that of Berth', async () => {
  const { exitCode, err } = await at(
    'compare',
    '--with',
    `${berth.server.url}/placement`,
    '--placement-token',
    'no',
  )
  expect([exitCode, err]).toEqual([69, expect.stringContaining('refuses the token')])
  expect(err).toContain('--placement-token')
})

test('a server in a shadow takes the ledger over, whoever answers the services, until Berth answers writes', async () => {
  await importPlacement()
  const shadow_of = `${berth.server.url}/placement`
  // It reads nothing by itself meanwhile: the sweep of an empty side beside a full one is slow.
  const shadow = await Berth.start({ shadow_of, shadow_sweep_per_second: 1 }, false)
  const inShadow = (...args: string[]) => run([...args, '--url', shadow.server.url, '--token', 'admin'])
  const mirror = () => inShadow('import', 'placement', '--from', placement, '--mirror')
  const put = (body: object) => shadow.ask('PUT', '/v1/shadow', { body })
  try {
    expect((await mirror()).exitCode).toBe(0)
    expect(await inShadow('compare', '--with', placement)).toMatchObject({ exitCode: 0 })
    expect((await shadow.ask('GET', '/resource_providers', { minor: 39 })).json).toEqual(
      (await berth.ask('GET', '/resource_providers', { minor: 39 })).json,
    )
    expect((await put({ reads: 'berth' })).json).toMatchObject({ reads: 'berth' })
    expect((await mirror()).exitCode).toBe(0)
    expect((await put({ writes: 'berth' })).json).toMatchObject({ writes: 'berth' })
    expect(await mirror()).toMatchObject({
      exitCode: 75,
      err: expect.stringContaining('berth shadow set writes=placement'),
    })
  } finally {
    await shadow.end()
  }
})
