import { beforeAll, expect, test } from 'vitest'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { definitionFiles } from '../definitions/index.ts'
import { type DefinitionSource, indexDefinitions } from './defined-keys.ts'
import { findDrift, type SpecSource } from './drift.ts'

let definitions: DefinitionSource
beforeAll(() => {
  const small = new SmallCatalog()
  small.import(definitionFiles.map(one => JSON.stringify(one)))
  definitions = indexDefinitions(small.world.catalog, small.world.catalog.namespaces.all())
})

const drift = (...sources: SpecSource[]) => findDrift(definitions, sources, async () => {})

test('what agrees with the definitions is only counted', async () => {
  const report = await drift(
    { kind: 'flavor', name: 'm1', specs: { 'hw:cpu_policy': 'dedicated' } },
    { kind: 'aggregate', name: 'fast', specs: { availability_zone: 'west' } },
    { kind: 'share-type', name: 'gold', specs: { driver_handles_share_servers: 'True' } },
  )
  expect(report).toEqual({
    checked: { flavor: 1, aggregate: 1, 'share-type': 1 },
    counts: {},
    findings: [],
    truncated: false,
  })
})

test('each kind is held against its own definitions, and a finding names what has the key', async () => {
  const { findings, counts } = await drift(
    { kind: 'flavor', name: 'm1', specs: { 'hw:cpu_polcy': 'shared', 'hw:cpu_threads': '>= 2' } },
    { kind: 'aggregate', name: 'fast', specs: { colour: 'red', max_io_ops_per_host: 'few' } },
    { kind: 'share-type', name: 'gold', specs: { dedupe: '<is> True' } },
  )
  expect(findings).toMatchObject([
    { kind: 'flavor', name: 'm1', key: 'hw:cpu_polcy', code: 'key-undefined', suggestion: 'hw:cpu_policy' },
    { kind: 'flavor', name: 'm1', key: 'hw:cpu_threads', value: '>= 2', code: 'operator-unread' },
    { kind: 'aggregate', name: 'fast', key: 'colour', code: 'key-undefined' },
    { kind: 'aggregate', name: 'fast', key: 'max_io_ops_per_host', code: 'value-type' },
    {
      kind: 'share-type',
      name: 'gold',
      key: 'driver_handles_share_servers',
      value: null,
      code: 'key-missing',
    },
  ])
  expect(counts).toEqual({ 'key-undefined': 2, 'operator-unread': 1, 'value-type': 1, 'key-missing': 1 })
})

test('more than a thousand findings are counted, not listed, and other requests run in between', async () => {
  const sources = Array.from(
    { length: 1_500 },
    (_, at): SpecSource => ({
      kind: 'flavor',
      name: `f${at}`,
      specs: { [`colour${at}`]: 'red' },
    }),
  )
  let turns = 0
  const report = await findDrift(definitions, sources, async () => {
    turns++
  })
  expect(report.findings).toHaveLength(1_000)
  expect(report.truncated).toBe(true)
  expect(report.counts['key-undefined']).toBe(1_500)
  expect(turns).toBeGreaterThan(5)
})

test('definitions are looked up before any other request runs', async () => {
  const small = new SmallCatalog()
  small.import(definitionFiles.map(one => JSON.stringify(one)))
  const { catalog } = small.world
  const flavors = Array.from(
    { length: 60 },
    (_, at): SpecSource => ({ kind: 'flavor', name: `f${at}`, specs: {} }),
  )
  const shareType: SpecSource = {
    kind: 'share-type',
    name: 'gold',
    specs: { driver_handles_share_servers: 'True' },
  }
  const report = await findDrift(
    indexDefinitions(catalog, catalog.namespaces.all()),
    [...flavors, shareType],
    async () => {
      for (const { namespace } of catalog.namespaces.all())
        small.do('catalog:delete-namespace', { namespace })
    },
  )
  expect(catalog.namespaces.size).toBe(0)
  expect(report.findings).toEqual([])
})
