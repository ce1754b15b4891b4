/** A filter and a weigher that nobody has heard of: each is one object in place of a file that the registry has a line for. */
import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { defineFilter } from '../src/scheduling/framework/filter.ts'
import { defineReason, PASS, refuse } from '../src/scheduling/framework/refusal.ts'
import type { Weigher } from '../src/scheduling/framework/weigher.ts'
import type { Berth } from './running-berth.ts'
import { THREE_HOSTS } from './three-hosts.ts'

const NEED = 15_360

const crowded = defineReason({
  code: 'quiet.crowded',
  text: ({ free }: { readonly free: number }) =>
    `the host has ${free} MiB free, and quiet ones have ${NEED}.`,
  hostsText: 'are too crowded to be quiet',
  remedy: (_facts, host) => `empty ${host}`,
})

const madeUpFilter = defineFilter({
  name: 'QuietFilter',
  summary: 'Keeps to hosts that are nearly empty.',
  reads: { host: ['free_ram_mb'], settings: ['hostSubsetSize'] },
  reasons: [crowded],
  example: {
    passes: { host: { free_ram_mb: NEED } },
    refused: { host: { free_ram_mb: 7 } },
    text: 'the host has 7 MiB free, and quiet ones have 15360.',
  },
  check: (_request, { ramMibFree: free }) => (free >= NEED ? PASS : refuse(crowded, { free })),
})

const madeUpWeigher: Weigher = {
  name: 'AlphabetWeigher',
  summary: 'Prefers hosts late in the alphabet.',
  multiplierKey: 'alphabet_weight_multiplier',
  multiplier: 9,
  reads: { host: ['name'], settings: ['candidatesMax'] },
  weigh: (_request, { name }) => name.charCodeAt(0),
}

const REPLACED = {
  '../src/scheduling/hosts/filters/all-hosts.ts': { allHostsFilter: madeUpFilter },
  '../src/scheduling/hosts/weighers/cross-cell.ts': { crossCellWeigher: madeUpWeigher },
}

let berth: Berth
let run: typeof import('../src/cli/commands/run.fixture.ts').run
let filterTables: typeof import('../scripts/filters-tables.ts').filterTables

/** Three hosts of 16 GiB, each of which is quiet with at most one server of 1 GiB. Test files share modules, so all are loaded anew. */
beforeAll(async () => {
  vi.resetModules()
  for (const [path, exported] of Object.entries(REPLACED)) vi.doMock(path, () => exported)
  const running = await import('./running-berth.ts')
  ;({ run } = await import('../src/cli/commands/run.fixture.ts'))
  ;({ filterTables } = await import('../scripts/filters-tables.ts'))
  berth = await running.Berth.start({
    enabled_filters: ['ComputeFilter', madeUpFilter.name],
    weight_classes: [madeUpWeigher.name],
  })
  const flavors = [{ id: 'small', name: 'm1.small', vcpus: 1, ram: 1024, disk: 1 }]
  await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts: THREE_HOSTS, flavors } })
})

afterAll(async () => {
  await berth.end()
  for (const path of Object.keys(REPLACED)) vi.doUnmock(path)
  vi.resetModules()
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const text = 'are too crowded to be quiet'

test('the weigher decides, and the filter is tried out by its example', async () => {
  const { json } = await post('/v1/schedule', { flavor: 'small', dry_run: true })
  expect(json.placed[0].host).toBe('gamma')
  const items = [madeUpFilter.example?.passes, madeUpFilter.example?.refused]
  const { results } = (await post('/v1/filters/QuietFilter/evaluate', { items })).json
  expect(results.map((one: { passes: boolean }) => one.passes)).toEqual([true, false])
  expect(results[1].reasons).toEqual([
    { code: 'quiet.crowded', facts: { free: 7 }, text: madeUpFilter.example?.text },
  ])
  const listed = (await berth.ask('GET', '/v1/filters')).json
  expect(listed.filters).toContainEqual(
    expect.objectContaining({ name: 'QuietFilter', enabled: true, place: 2 }),
  )
  expect(listed.weighers).toContainEqual(expect.objectContaining({ name: 'AlphabetWeigher', multiplier: 9 }))
})

test('a dry run takes the settings that a filter or weigher reads, and no others', async () => {
  const tryFilter = (settings: object) => post('/v1/filters/QuietFilter/evaluate', { items: [{ settings }] })
  const tryWeighers = (settings: object) =>
    post('/v1/weighers/evaluate', { items: [{ hosts: [], settings }] })
  expect((await tryFilter({ host_subset_size: 2 })).status).toBe(200)
  expect((await tryFilter({ max_placement_results: 2 })).status).toBe(400)
  expect((await tryWeighers({ max_placement_results: 2 })).status).toBe(200)
  expect((await tryWeighers({ host_subset_size: 2 })).status).toBe(400)
})

test('simulate notices that each claim changes what the filter reads', async () => {
  const { before } = (await post('/v1/simulate', { flavor: 'small' })).json
  expect(before.fits).toBe(6)
  expect(before.ends).toEqual([{ by: 'filter', name: 'QuietFilter', code: 'quiet.crowded', hosts: 3, text }])
})

test('explain, decisions, command line and what the console shows have its words', async () => {
  expect((await post('/v1/schedule', { flavor: 'small', count: 6 })).status).toBe(200)
  const refused = (await post('/v1/schedule', { flavor: 'small' })).json
  expect(refused.detail).toBe('No host fits: 3 hosts have room; QuietFilter removed 3.')
  const explained = (await post('/v1/explain/schedule', { flavor: 'small' })).json
  expect(explained.histogram).toMatchObject([
    { filter: 'QuietFilter', code: 'quiet.crowded', hosts: 3, text },
  ])
  expect(explained.funnel.at(-1).removed).toEqual([{ code: 'quiet.crowded', hosts: 3, text }])
  expect(explained.reports[0].refusals[0].reasons[0].text).toBe(
    'the host has 14336 MiB free, and quiet ones have 15360.',
  )
  expect(explained.changes.at(-1)).toMatchObject({ kind: 'admit-hosts', hosts: 3 })
  expect(explained.changes.at(-1).text).toContain('Empty the host')

  const { decisions } = (await berth.ask('GET', '/v1/decisions?outcome=refused')).json
  expect(decisions[0].reason).toBe(refused.detail)
  const decision = (await berth.ask('GET', `/v1/decisions/${decisions[0].id}`)).json
  expect(JSON.stringify(decision)).toContain(text)

  const at = ['--url', berth.server.url, '--token', 'root:ops:admin']
  expect((await run(['simulate', 'm1.small', ...at])).out).toContain(`3 hosts ${text} (QuietFilter)`)
})

test('the reference page has both, the filter with its example', () => {
  const { filters, weighers } = filterTables()
  expect(filters).toContain('### QuietFilter\n\nKeeps to hosts that are nearly empty.')
  expect(filters).toContain('the host has 7 MiB free, and quiet ones have 15360.')
  expect(weighers).toContain('AlphabetWeigher')
})

test('the console has no texts of reasons', () => {
  const importing = globSync('console/src/**/*.{ts,tsx}').filter(path =>
    /from '[./]*\/src\/scheduling\//.test(readFileSync(path, 'utf8')),
  )
  expect(importing).toEqual([])
})
