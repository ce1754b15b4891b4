import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { sharedPostgres } from '../../../test/postgres.ts'
import { countLedger, type ReadLedger } from './ledger.ts'
import { SMALL_PLACEMENT, uuidOf, writeSmallPlacement } from './small-placement.fixture.ts'
import { readPlacement } from './source.ts'
import { SourceRefused } from './tables.ts'

const directory = mkdtempSync(join(tmpdir(), 'berth-placement-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
const fresh = (): string => join(directory, `${files++}`)

const read = (from: string): Promise<ReadLedger> =>
  readPlacement(from, { token: null, onRows: () => undefined })

function readChanged(...statements: string[]): Promise<ReadLedger> {
  const path = fresh()
  writeSmallPlacement(path, ...statements)
  return read(path)
}

describe('a database', () => {
  test('gives everything, parents first, by names', async () => {
    const { ledger, untakable } = await readChanged()
    expect(untakable).toEqual([])
    expect(countLedger(ledger)).toEqual({
      resource_classes: 1,
      traits: 1,
      providers: 3,
      inventories: 4,
      consumers: 2,
      allocations: 2,
    })
    const order = [...ledger.providers.keys()]
    expect(order.indexOf(uuidOf(1))).toBeLessThan(order.indexOf(uuidOf(3)))
    expect(ledger.providers.get(uuidOf(1))).toMatchObject({
      name: 'cn1',
      generation: 9,
      traits: ['CUSTOM_FAST', 'HW_CPU_X86_AVX2'],
      aggregates: [uuidOf(50)],
    })
    expect(ledger.providers.get(uuidOf(3))).toMatchObject({
      parent_provider_uuid: uuidOf(1),
      inventories: { MEMORY_MB: { total: 4096, reserved: 512, allocation_ratio: 1.5 } },
    })
    expect(ledger.consumers.get(uuidOf(101))).toEqual({
      uuid: uuidOf(101),
      generation: 3,
      project_id: 'project-a',
      user_id: 'user-a',
      consumer_type: 'INSTANCE',
      allocations: {
        [uuidOf(1)]: { resources: { VCPU: 2 } },
        [uuidOf(3)]: { resources: { MEMORY_MB: 1024 } },
      },
    })
    expect(ledger.consumers.get(uuidOf(102))).toMatchObject({ consumer_type: null, allocations: {} })
  })

  test('is found by the address of SQLAlchemy too', async () => {
    const path = fresh()
    writeSmallPlacement(path)
    expect((await read(`sqlite:///${path}`)).ledger.providers.size).toBe(3)
  })

  test('of before consumer types is read without them', async () => {
    const { ledger } = await readChanged(
      'DROP TABLE consumer_types',
      'ALTER TABLE consumers DROP COLUMN consumer_type_id',
    )
    expect(ledger.consumers.get(uuidOf(101))?.consumer_type).toBeNull()
  })

  test.each([
    ['is no Placement', ['DROP TABLE allocations'], 'it has no table allocations'],
    ['is too old', ['ALTER TABLE consumers DROP COLUMN generation'], 'consumers has no column generation'],
  ])('that %s is refused with the reason', async (_, statements, reason) => {
    await expect(readChanged(...statements)).rejects.toThrow(reason)
  })

  test.each([
    ['allocations without a consumer', `DELETE FROM consumers WHERE id = 1`, 'the consumer has no row'],
    [
      'a loop of parents',
      `UPDATE resource_providers SET parent_provider_id = 7 WHERE id = 1`,
      'or is below it',
    ],
    [
      'an allocation without inventory',
      `DELETE FROM inventories WHERE id = 2`,
      'has no inventory of MEMORY_MB',
    ],
    ['a project that is gone', `DELETE FROM projects`, 'its project is missing'],
    [
      'a total of 0',
      `UPDATE inventories SET total = 0, reserved = 0 WHERE id = 3`,
      'total 0 is not between 1',
    ],
    [
      'more reserved than there is',
      `UPDATE inventories SET reserved = 9 WHERE id = 3`,
      'is more than total 8',
    ],
    [
      'a malformed uuid',
      `UPDATE resource_providers SET uuid = 'cn2' WHERE id = 2`,
      'its uuid is not in the form',
    ],
  ])('lists %s, and reads the rest', async (_, statement, reason) => {
    const { ledger, untakable } = await readChanged(statement)
    expect(untakable.some(one => one.reason.includes(reason))).toBe(true)
    expect(ledger.providers.size + ledger.consumers.size).toBeGreaterThan(0)
  })

  test('that does not exist is refused', async () => {
    await expect(read(join(directory, 'none'))).rejects.toThrow('no such file')
    await expect(read('oracle://db/placement')).rejects.toThrow('oracle:// is not an address of a Placement')
  })
})

describe('a server', () => {
  const readBoth = async (url: string): Promise<void> => {
    const path = fresh()
    writeSmallPlacement(path)
    expect(await read(url)).toEqual(await read(path))
  }

  test('of PostgreSQL gives the same as the file', async () => {
    const postgres = await sharedPostgres()
    const url = await postgres.newDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const statement of SMALL_PLACEMENT) await client.query(statement)
    await client.end()
    await readBoth(url.replace('postgres://', 'postgresql+psycopg2://'))
  })

  test.runIf(testsMariadb)('of MariaDB gives the same as the file', async () => {
    const mariadb = await sharedMariadb()
    const url = await mariadb.newDatabase()
    for (const statement of SMALL_PLACEMENT) await mariadb.query(statement, new URL(url).pathname.slice(1))
    await readBoth(`${url.replace('mysql://', 'mysql+pymysql://')}?charset=utf8`)
  })

  test.each([
    'postgresql://u:secret@[::x/p',
    'mysql://u:secret@[::x/p',
    'mysql://u:secret%@127.0.0.1/p',
    'mysql+pymysql:/u:secret@127.0.0.1/p',
    'http://u:secret@127.0.0.1:1',
  ])('with a wrong address is refused without its password: %s', async from => {
    const error = await read(from).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(SourceRefused)
    expect(inspect(error)).not.toContain('secret')
  })

  test('that does not answer is named with the reason', async () => {
    await expect(read('mysql+pymysql://u:secret@127.0.0.1:1/p')).rejects.toThrow('ECONNREFUSED')
    await expect(read('postgresql://u:secret@127.0.0.1:1/p')).rejects.toThrow('ECONNREFUSED')
  })
})

/** The rows of the small Placement as a dump has them. */
const tables: readonly (readonly [string, string, readonly string[]])[] = [
  ['resource_classes', 'id int, name text', ["0,'VCPU'", "1,'MEMORY_MB'"]],
  ['traits', 'id int, name text', ["2,'CUSTOM_FAST'"]],
  [
    'resource_providers',
    'id int, uuid text, name text, generation int, parent_provider_id int',
    [`1,'${uuidOf(1)}','cn''1 \\'a\\' (x),;\\\\',9,NULL`],
  ],
  [
    'inventories',
    'resource_provider_id int, resource_class_id int, total int, reserved int, min_unit int, max_unit int, step_size int, allocation_ratio float',
    ['1,0,16,0,1,16,1,4'],
  ],
  ['placement_aggregates', 'id int, uuid text', []],
  ['resource_provider_aggregates', 'resource_provider_id int, aggregate_id int', []],
  ['resource_provider_traits', 'trait_id int, resource_provider_id int', ['2,1']],
  ['projects', 'id int, external_id text', ["1,'p'"]],
  ['users', 'id int, external_id text', ["1,'u'"]],
  [
    'consumers',
    'uuid text, project_id int, user_id int, generation int',
    [`'${uuidOf(101)}',1,1,3`, `'${uuidOf(102)}',1,1,1`],
  ],
  [
    'allocations',
    'resource_provider_id int, consumer_id text, resource_class_id int, used int',
    [`1,'${uuidOf(101)}',0,2`],
  ],
  ['someone_elses', 'id int, note text', ["1,'x;\n(2'"]],
]

const created = (quote: string): string[] =>
  tables.map(([name, columns]) => {
    const lines = columns.split(', ').map(column => `  ${column.replace(/^(\w+)/, `${quote}$1${quote}`)}`)
    return `CREATE TABLE ${quote}${name}${quote} (\n${lines.join(',\n')},\n  PRIMARY KEY (${quote}id${quote})\n);\n`
  })

const mysqldump = [
  ...created('`'),
  ...tables
    .filter(([, , rows]) => rows.length > 0)
    .map(([name, , rows]) => `INSERT INTO \`${name}\` VALUES ${rows.map(row => `(${row})`).join(',')};\n`),
].join('')

const copied = (row: string): string =>
  row.startsWith(`1,'${uuidOf(1)}`)
    ? `1\t${uuidOf(1)}\tcn'1 'a' (x),;\\\\\t9\t\\N`
    : row.replaceAll("'", '').replaceAll(',', '\t').replaceAll('\n', '\\n')

const pgDump = [
  ...created(''),
  ...tables.map(
    ([name, columns, rows]) =>
      `COPY public.${name} (${columns.replaceAll(/ (int|text|float)\b/g, '')}) FROM stdin;\n` +
      `${rows.map(row => `${copied(row)}\n`).join('')}\\.\n`,
  ),
].join('\n')

const written = (content: string | Buffer): string => {
  const path = fresh()
  writeFileSync(path, content)
  return path
}

describe.each([
  ['mysqldump', mysqldump],
  ['pg_dump', pgDump],
])('a dump of %s', (_, text) => {
  test('gives the same for any texts', async () => {
    const { ledger, untakable } = await read(written(text))
    expect(untakable).toEqual([])
    expect(ledger.providers.get(uuidOf(1))).toMatchObject({
      name: "cn'1 'a' (x),;\\",
      traits: ['CUSTOM_FAST'],
    })
    expect(ledger.consumers.get(uuidOf(101))?.allocations).toEqual({
      [uuidOf(1)]: { resources: { VCPU: 2 } },
    })
    expect(ledger.consumers.size).toBe(2)
  })

  test('that breaks off is refused', async () => {
    await expect(read(written(text.slice(0, text.lastIndexOf('x'))))).rejects.toThrow(
      'ends in the middle of table',
    )
  })

  test('without a table of Placement is refused', async () => {
    const without = text.replaceAll('allocations', 'unrelated')
    await expect(read(written(without))).rejects.toThrow('it has no table allocations')
  })
})

const HOST = "cn'1 'a' (x),;\\"

describe('a dump', () => {
  const inserts = (verb: string, separator: string) =>
    mysqldump
      .replaceAll('INSERT INTO', verb)
      .replaceAll(' VALUES ', ` VALUES${separator}`)
      .replaceAll('),(', `),${separator}(`)

  test.each([
    ['with each row on a line, as MariaDB writes it', inserts('INSERT INTO', '\n')],
    ['with INSERT IGNORE', inserts('INSERT  IGNORE INTO', ' ')],
    ['with REPLACE', inserts('REPLACE INTO', ' ')],
    ['with ends of lines of Windows', mysqldump.replaceAll('\n', '\r\n')],
    ['with comments', `-- MariaDB dump 10.19\n${mysqldump}-- Dump completed on 2026-11-18\n`],
    [
      'of several databases',
      `USE \`keystone\`;\nCREATE TABLE \`users\` (\n  \`x\` int\n);\nINSERT INTO \`users\` VALUES (1);\nUSE \`placement\`;\n${mysqldump}`,
    ],
    [
      'of pg_dump --inserts, where a backslash is one',
      `SET standard_conforming_strings = on;\n${mysqldump.replace("\\'a\\' (x),;\\\\", "''a'' (x),;\\").replaceAll('`', '"')}`,
    ],
  ])('%s gives all rows', async (_, text) => {
    const { ledger, untakable } = await read(written(text))
    expect(untakable).toEqual([])
    expect([...ledger.providers.values()].map(({ name }) => name)).toEqual([HOST])
    expect(countLedger(ledger)).toMatchObject({ consumers: 2, allocations: 1, inventories: 1 })
  })

  const withoutTables = mysqldump.slice(mysqldump.indexOf('INSERT'))
  test.each([
    ['without its last line', `-- MariaDB dump 10.19\n${mysqldump}`, 'the dump breaks off'],
    ['without tables', withoutTables, 'no CREATE TABLE resource_classes'],
    ['without rows', created('`').join(''), 'it has no resource classes'],
    ['of two Placements', `USE \`a\`;\n${mysqldump}USE \`b\`;\n${mysqldump}`, 'databases a and b'],
    ['of another encoding', Buffer.from(mysqldump.replace('(x)', 'h\xf6st'), 'latin1'), 'is not UTF-8'],
    ['that is compressed', gzipSync(mysqldump), 'zcat'],
    ['that is an archive', 'PGDMP\x01\x0e', 'pg_restore'],
  ])('%s is refused with the remedy', async (_, content, reason) => {
    await expect(read(written(content))).rejects.toThrow(reason)
  })
})
