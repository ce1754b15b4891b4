import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { FakeCloud } from '../../../openstack/cloud/fake-cloud.fixture.ts'
import type { Ledger } from '../../../openstack/placement/ledger.ts'
import { DAMAGES } from '../../../openstack/reconcile/damages.fixture.ts'
import { serveNova } from '../../../openstack/reconcile/nova-answers.fixture.ts'
import { type Cloud, clouds, FOREIGN, serverOf } from '../../../openstack/reconcile/random-cloud.fixture.ts'
import { run } from '../run.fixture.ts'

const [whole] = fc.sample(clouds, { numRuns: 1, seed: 2 }) as [Cloud]

let fake: FakeCloud
let berth: Berth
let directory: string

beforeAll(async () => {
  fake = await FakeCloud.start()
  directory = await mkdtemp(join(tmpdir(), 'reconcile-'))
  const auth = `{auth_url: "${fake.url}/identity", username: berth, password: sesame, project_name: admin}`
  await writeFile(join(directory, 'clouds.yaml'), `clouds: {fake: {region_name: RegionOne, auth: ${auth}}}\n`)
})
afterAll(async () => {
  await fake.end()
  await rm(directory, { recursive: true })
})
beforeEach(async () => {
  berth = await Berth.start()
})
afterEach(() => berth.end())

const at = (...args: string[]) =>
  run(['reconcile', ...args, '--url', berth.server.url, '--token', 'admin'], {
    env: { OS_CLIENT_CONFIG_FILE: join(directory, 'clouds.yaml') },
  })
const reconcile = (...args: string[]) => at('--cloud', 'fake', '--settle', '0', '--json', ...args)
const undoFile = () => join(berth.directory, 'undo.ndjson')

const importLines = async (lines: readonly object[]) => {
  const input = join(berth.directory, 'lines.ndjson')
  await writeFile(input, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const done = await run(['import', input, '--url', berth.server.url, '--token', 'admin'])
  expect(done.exitCode, done.err).toBe(0)
}

/** Brings server and fake Nova to this state. */
async function load({ nova, ledger }: Cloud): Promise<void> {
  serveNova(fake, nova)
  const names = (kind: string, all: Iterable<string>) =>
    [...new Set(all)].filter(name => name.startsWith('CUSTOM_')).map(name => ({ [kind]: { name } }))
  const { providers, consumers } = ledger as Ledger
  await importLines([
    ...names(
      'resource_class',
      [...providers.values()].flatMap(one => Object.keys(one.inventories)),
    ),
    ...names(
      'trait',
      [...providers.values()].flatMap(one => one.traits),
    ),
    // Parents before children.
    ...[...providers.values()].map(provider => ({ provider: { ...provider, parent_provider_uuid: null } })),
    ...[...providers.values()]
      .filter(one => one.parent_provider_uuid !== null)
      .map(provider => ({ provider })),
    ...[...consumers.values()].map(consumer => ({ consumer })),
  ])
}

// biome-ignore lint/suspicious/noExplicitAny: the output of --json
const kindsIn = (json: any) => json.findings.map((one: { kind: string }) => one.kind)

/** Providers and consumers, without generations, which only increase. */
async function exported(): Promise<object[]> {
  const answer = await fetch(`${berth.server.url}/v1/export`, { headers: { 'x-auth-token': 'admin' } })
  return (await answer.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .map(line => line.provider ?? line.consumer)
    .filter(one => one !== undefined)
    .map(({ generation: _, ...one }) => one)
    .sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
}

test('a whole cloud has no finding, and the exit code says so', async () => {
  await load(whole)
  const { exitCode, json } = await reconcile()
  expect([exitCode, json.counts, json.findings]).toEqual([0, {}, []])
  const { out } = await at('--cloud', 'fake', '--settle', '0')
  expect(out).toMatch(/no damage; \d+ not judged; 0 passed/)
})

describe.each(DAMAGES.filter(({ isFixable }) => isFixable))('$kind of $subject', ({ kind, inject }) => {
  test('is found, fixed in one commit, and restored by --undo', async () => {
    await load(inject(whole))
    const before = await exported()
    const found = await reconcile()
    expect([found.exitCode, kindsIn(found.json)]).toEqual([1, [kind]])

    const fixed = await reconcile('--fix', kind, '--undo-file', undoFile())
    expect(fixed.json.fixed).toMatchObject([{ kind, outcome: 'done', reason: null }])
    // nova-compute creates the provider of the new compute once its name is free.
    expect(kindsIn(fixed.json)).toEqual(kind === 'replaced-compute' ? ['missing-provider'] : [])
    const foreign = (await exported()).filter(one =>
      FOREIGN.some(({ uuid }) => 'uuid' in one && one.uuid === uuid),
    )
    expect(foreign).toHaveLength(FOREIGN.length)

    const undone = await at('--undo', undoFile(), '--json')
    const isSame = kind === 'stale-generation'
    expect(undone.json.undone).toMatchObject([{ outcome: isSame ? 'nothing to do' : 'done', reason: null }])
    expect(await exported()).toEqual(before)
  })
})

describe('repairs', () => {
  const damaged = (kind: string) =>
    (DAMAGES.find(one => one.kind === kind) as (typeof DAMAGES)[number]).inject(whole)

  test('a kind that was not named stays', async () => {
    await load(damaged('wrong-amount'))
    const { exitCode, json } = await reconcile('--fix', 'orphaned', '--undo-file', undoFile())
    expect([exitCode, kindsIn(json), json.fixed, json.undo_file]).toEqual([1, ['wrong-amount'], [], null])
  })

  test('what was changed after a repair is not undone', async () => {
    await load(damaged('wrong-amount'))
    await reconcile('--fix', 'wrong-amount', '--undo-file', undoFile())
    await berth.ask('DELETE', `/allocations/${serverOf('plain')}`, { minor: 39 })
    const { exitCode, json } = await at('--undo', undoFile(), '--json')
    expect([exitCode, json.undone[0].outcome]).toEqual([75, 'refused'])
  })

  test('an undo file is never written over, and nothing is changed then', async () => {
    await load(damaged('wrong-amount'))
    await writeFile(undoFile(), 'mine')
    const { exitCode, err } = await reconcile('--fix', 'all', '--undo-file', undoFile())
    expect([exitCode, await readFile(undoFile(), 'utf8')]).toEqual([73, 'mine'])
    expect(err).toMatch(/cannot be made \(EEXIST\): nothing was changed/)
    expect(kindsIn((await reconcile()).json)).toEqual(['wrong-amount'])
  })

  test('a file that is no undo file is refused by name', async () => {
    await writeFile(undoFile(), '{"table": "flavors"}\n')
    const { exitCode, err } = await at('--undo', undoFile())
    expect([exitCode, err]).toEqual([65, `berth: ${undoFile()} is not an undo file of berth reconcile\n`])
    expect((await at('--undo', join(directory, 'absent'))).exitCode).toBe(66)
  })

  test.each([
    ['wrong-amount', 'done', null],
    ['gone-compute', 'refused', expect.stringContaining('berth shadow set writes=berth')],
  ])('in a shadow Placement gets the repair, or nobody: %s is %s', async (kind, outcome, reason) => {
    await load(damaged(kind))
    const placement = `${berth.server.url}/placement`
    const shadow = await Berth.start({ shadow_of: placement, shadow_sweep_per_second: 1 }, false)
    const inShadow = (...args: string[]) =>
      run([...args, '--url', shadow.server.url, '--token', 'admin'], {
        env: { OS_CLIENT_CONFIG_FILE: join(directory, 'clouds.yaml') },
      })
    try {
      await inShadow('import', 'placement', '--from', placement, '--placement-token', 'admin', '--mirror')
      const flags = ['--settle', '0', '--json', '--fix', kind, '--undo-file', undoFile()]
      const { json } = await inShadow('reconcile', '--cloud', 'fake', ...flags)
      expect(json.fixed).toMatchObject([{ outcome, reason }])
      expect(kindsIn((await reconcile()).json)).toEqual(outcome === 'done' ? [] : [kind])
    } finally {
      await shadow.end()
    }
  })

  test('findings name both sides, the remedy and its command', async () => {
    await load(damaged('orphaned-deleted'))
    const { out } = await at('--cloud', 'fake', '--settle', '0')
    expect(out).toMatch(
      /orphaned-deleted: consumer \S+\n {2}nova {5}the server is deleted\n {2}ledger {3}it holds DISK_GB=/,
    )
    expect(out).toMatch(
      /\n {2}command {2}berth allocation delete \S+\n {2}fix {6}berth reconcile --cloud fake --fix orphaned-deleted\n/,
    )
  })
})

describe('bad input', () => {
  test('an unknown kind, a bad wait and --undo with --fix are refused', async () => {
    expect((await reconcile('--fix', 'everything')).err).toMatch(/'everything' is not a kind/)
    expect((await reconcile('--settle', 'soon')).err).toMatch(/Write seconds, 0 to 600/)
    expect((await at('--undo', 'x', '--fix', 'all')).exitCode).toBe(64)
  })

  test('a cloud that does not answer ends with 69, and one that is not described with 78', async () => {
    serveNova(fake, whole.nova)
    fake.compute.delete('/os-hypervisors/detail')
    expect((await reconcile()).exitCode).toBe(69)
    const { exitCode, err } = await at('--cloud', 'other')
    expect([exitCode, err]).toEqual([78, expect.stringMatching(/there is no cloud named other/)])
  })
})
