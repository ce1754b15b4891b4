import { expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { definitionFiles } from '../definitions/index.ts'
import { readDefinition } from '../reading.ts'
import { findNamespaceFault } from '../schemas/faults.schemas.ts'

const file = (namespace: string, title = 'P') =>
  readDefinition({ namespace, visibility: 'public', properties: { p: { title, type: 'string' } } })
const load = (catalog: SmallCatalog, ...names: string[]) =>
  catalog.do('catalog:load-builtins', { definitions: names.map(name => file(name)) })
const names = (catalog: SmallCatalog) => catalog.world.catalog.namespaces.all().map(row => row.namespace)

test('the first start adds all, the next one nothing', () => {
  const catalog = new SmallCatalog()
  expect(load(catalog, 'a', 'b')).toMatchObject({ ok: true, answer: { added: 2 } })
  expect(names(catalog)).toEqual(['a', 'b'])
  const again = load(catalog, 'a', 'b')
  expect(again).toMatchObject({ ok: true, answer: { added: 0 }, change: { ops: [] } })
})

test('one that was deleted does not come back, one that was changed stays changed', () => {
  const catalog = new SmallCatalog()
  load(catalog, 'a', 'b')
  catalog.do('catalog:delete-namespace', { namespace: 'a' })
  catalog.do('catalog:update-property', {
    namespace: 'b',
    name: 'p',
    property: { name: 'q', json_schema: '{}' },
  })
  load(catalog, 'a', 'b')
  expect(names(catalog)).toEqual(['b'])
  expect(catalog.export()[0]).toContain('"q"')
})

test('one that a newer version brings is added beside the others', () => {
  const catalog = new SmallCatalog()
  load(catalog, 'a')
  catalog.do('catalog:delete-namespace', { namespace: 'a' })
  expect(load(catalog, 'a', 'c')).toMatchObject({ answer: { added: 1 } })
  expect(names(catalog)).toEqual(['c'])
})

test('a namespace of a user with the same name stays untouched, also once it is deleted', () => {
  const catalog = new SmallCatalog()
  catalog.import(['{"namespace":"a","description":"mine"}'])
  expect(load(catalog, 'a')).toMatchObject({ answer: { added: 0 } })
  expect(catalog.export()[0]).toContain('"mine"')
  catalog.do('catalog:delete-namespace', { namespace: 'a' })
  expect(load(catalog, 'a')).toMatchObject({ answer: { added: 0 }, change: { ops: [] } })
})

test('every built-in file defines its own namespace', () => {
  for (const one of definitionFiles) expect(findNamespaceFault(one), String(one.namespace)).toBeNull()
  const all = definitionFiles.map(one => one.namespace)
  expect(new Set(all).size).toBe(all.length)
})

test('a server has them after its first start, and what was deleted is gone after the next', async () => {
  const first = await Berth.start({ only: 'catalog', catalog_builtin: true })
  const listed = async (berth: Berth) =>
    (await berth.ask('GET', '/v2/metadefs/namespaces?limit=1000&sort_key=namespace')).json.namespaces.map(
      (one: { namespace: string }) => one.namespace,
    )
  const all = await listed(first)
  expect(all.toSorted()).toEqual(definitionFiles.map(one => one.namespace as string).toSorted())
  const [gone] = all
  if (gone !== undefined) {
    const path = `/v2/metadefs/namespaces/${encodeURIComponent(gone)}`
    await first.ask('PUT', path, { body: { namespace: gone } })
    expect((await first.ask('DELETE', path)).status).toBe(204)
  }
  await first.stop()
  const second = await Berth.start({ only: 'catalog', catalog_builtin: true, data_dir: first.directory })
  expect(await listed(second)).toEqual(all.slice(1))
  await second.end()
})
