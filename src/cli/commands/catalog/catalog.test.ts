/** The catalog commands, against a real server. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { definitionFiles } from '../../../catalog/definitions/index.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let directory: string
beforeAll(async () => {
  berth = await Berth.start()
  directory = await mkdtemp(join(tmpdir(), 'berth-catalog-'))
})
afterAll(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const at = (...args: string[]) =>
  run(['catalog', ...args, '--url', berth.server.url, '--token', 'root:ops:admin'])
const file = async (name: string, content: unknown) => {
  const path = join(directory, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const STORAGE = {
  namespace: 'Acme::Storage',
  display_name: 'Storage',
  visibility: 'public',
  protected: true,
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'acme:' }],
  properties: {
    tier: { title: 'Tier', type: 'string', operators: ['<or>'], enum: ['gold', 'silver'] },
    iops: { title: 'IOPS', type: 'integer', minimum: 1, maximum: 9007199254740991 },
  },
  objects: [{ name: 'Limits', properties: { burst: { title: 'Burst', type: 'boolean' } } }],
  tags: [{ name: 'disk' }],
}

beforeEach(async () => {
  await at('import', await file('storage.json', STORAGE), '--merge', 'overwrite')
})

test('import says what it made, and then that nothing changes', async () => {
  const path = await file('new.json', { ...STORAGE, namespace: 'Acme::New' })
  const made = await at('import', path)
  expect(made).toMatchObject({ exitCode: 0, err: '' })
  expect(made.out).toBe(
    'Acme::New: created with 1 association, 2 properties, 1 object, 1 tag\n' +
      '1 created, 0 updated, 0 unchanged, 0 skipped\n',
  )
  expect((await at('import', path)).out).toContain('Acme::New: unchanged\n')
  await at('delete', 'Acme::New', '--even-protected')
})

test('a dry run shows the difference, field by field', async () => {
  const { properties } = STORAGE
  const newer = {
    ...STORAGE,
    properties: {
      ...properties,
      tier: { ...properties.tier, operators: ['<or>', '<in>'] },
      raid: properties.tier,
    },
  }
  const path = await file('newer.json', newer)
  expect((await at('import', path, '--merge', 'prefer-new', '--dry-run')).out).toBe(
    [
      'Acme::Storage: updated',
      '  ~ property tier',
      '      operators: ["<or>"] → ["<or>","<in>"]',
      '  + property raid',
      'would be: 0 created, 1 updated, 0 unchanged, 0 skipped',
      '',
    ].join('\n'),
  )
  expect((await at('import', path)).out).toContain('  = property tier\n')
  expect((await at('import', path, '--merge', 'add', '--json')).json.namespaces[0].outcome).toBe('updated')
})

test('import reads directories, exports and standard input, and names the file that is wrong', async () => {
  const folder = join(directory, 'folder')
  await mkdir(folder)
  await file('folder/a.json', { namespace: 'a' })
  await file('folder/b.json', { definitions: [{ namespace: 'b' }, { namespace: 'c' }] })
  await file('folder/readme.txt', 'no definition')
  expect((await at('import', folder)).out).toContain('3 created')
  const typed = await run(['catalog', 'import', '-', '--url', berth.server.url, '--token', 'admin'], {
    typed: '{"namespace":"typed"}',
  })
  expect(typed.out).toContain('typed: created')
  const bad = await at('import', folder, await file('bad.json', { namespace: 'd', colour: 'red' }))
  expect(bad.exitCode).toBe(exitCodes.invalid)
  expect(bad.err).toMatch(/^berth: .*bad\.json: .*colour/)
  expect((await at('import', await file('torn.json', '{'))).err).toMatch(/torn\.json is not JSON/)
  expect((await at('import', join(directory, 'absent.json'))).exitCode).toBe(exitCodes.missing)
  await at('delete', 'a', 'b', 'c', 'typed')
})

test('import brings what comes with the program, also to a store that has an older version of it', async () => {
  const one = definitionFiles[0] as { namespace: string }
  await at('import', await file('older.json', { namespace: one.namespace, display_name: 'Older' }))
  expect((await at('import', '--builtin', '--dry-run')).out).toContain('1 skipped')
  expect((await at('import', '--builtin', '--merge', 'prefer-new')).out).toContain('1 updated')
  expect((await at('import', '--builtin')).out).toContain(`${definitionFiles.length} unchanged`)
  await at('delete', ...definitionFiles.map(each => String(each.namespace)), '--even-protected')
  expect((await at('import')).exitCode).toBe(exitCodes.usage)
})

test('export writes what import read, to the output, to a file and to a directory', async () => {
  const text = await at('export', 'Acme::Storage')
  expect(text.json).toEqual({ ...STORAGE, owner: 'ops' })
  expect(text.out).toContain('"maximum": 9007199254740991')
  const one = join(directory, 'out.json')
  expect((await at('export', '--output', one)).out).toBe(`${one}: Acme::Storage\n`)
  expect((await at('export', '--output', one)).exitCode).toBe(exitCodes.output)
  expect((await at('export', '--output', one, '--force')).exitCode).toBe(0)
  const many = `${join(directory, 'many')}/`
  await at('import', await file('other.json', { namespace: 'acme storage' }))
  await at('export', '--output', many)
  expect((await readdir(many)).sort()).toEqual(['acme-storage-2.json', 'acme-storage.json'])
  expect((await at('import', many, '--merge', 'overwrite')).out).toContain('2 unchanged')
  expect(JSON.parse(await readFile(join(many, 'acme-storage-2.json'), 'utf8')).namespace).toBe('acme storage')
  expect((await at('export', 'nothing')).exitCode).toBe(exitCodes.missing)
  await at('delete', 'acme storage')
})

test('export into a directory writes all files or none, and minds signals once', async () => {
  const many = join(directory, 'taken')
  await mkdir(many)
  await at('import', await file('other.json', { namespace: 'acme storage' }))
  await file('taken/acme-storage-2.json', 'mine')
  const refused = await at('export', '--output', many)
  expect(refused.exitCode).toBe(exitCodes.output)
  expect(refused.err).toContain('acme-storage-2.json already exists')
  expect(await readdir(many)).toEqual(['acme-storage-2.json'])
  const around = new FakeEnvironment()
  const args = ['catalog', 'export', '--output', many, '--force', '--url', berth.server.url]
  await run([...args, '--token', 'root:ops:admin'], { around })
  expect((await readdir(many)).sort()).toEqual(['acme-storage-2.json', 'acme-storage.json'])
  around.signal('SIGINT')
  expect(around.exits).toEqual([130])
  await at('delete', 'acme storage')
})

test('list shows namespaces by name, and filters', async () => {
  expect((await at('list')).out).toBe(
    'NAMESPACE      DISPLAY NAME  VISIBILITY  PROTECTED  FOR\n' +
      'Acme::Storage  Storage       public      yes        OS::Nova::Flavor (acme:)\n',
  )
  expect((await at('list', '--resource-type', 'OS::Glance::Image')).err).toBe('berth: no namespace\n')
  expect((await at('list', '--visibility', 'private', '--json')).json).toEqual([])
})

test('show has keys with their operators and values, also as they are on a type of resource', async () => {
  const { out } = await at('show', 'Acme::Storage')
  expect(out).toContain('tier  string   <or>       gold silver')
  expect(out).toContain('iops  integer  -          1..9007199254740991')
  expect(out).toContain('Limits\nKEY')
  expect((await at('show', 'Acme::Storage', '--resource-type', 'OS::Nova::Flavor')).out).toContain(
    'acme:tier',
  )
  expect((await at('show', 'Acme::Nothing')).exitCode).toBe(exitCodes.missing)
})

test('delete refuses a protected namespace without --force', async () => {
  const refused = await at('delete', 'Acme::Storage')
  expect(refused).toMatchObject({
    exitCode: exitCodes.conflict,
    err: 'berth: Acme::Storage is protected: give --even-protected to delete it\n',
  })
  expect((await at('delete', 'Acme::Storage', '--even-protected')).out).toBe('deleted Acme::Storage\n')
  expect((await at('delete', 'Acme::Storage')).exitCode).toBe(exitCodes.missing)
})

test('a server without a catalog is reported as such', async () => {
  const other = await Berth.start({ only: 'placement' })
  const answer = await run(['catalog', 'list', '--url', other.server.url, '--token', 'admin'])
  expect(answer).toMatchObject({ exitCode: exitCodes.unavailable })
  expect(answer.err).toContain('it has no catalog')
  await other.end()
})
