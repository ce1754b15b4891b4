import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvField, csvOf, type ExportedValue, fileNameOf, jsonOf } from './exported-rows.ts'

const columns = [
  { id: 'name', title: 'Name', value: (row: ExportedValue[]) => row[0] ?? null },
  { id: 'used', title: 'Used, in all', value: (row: ExportedValue[]) => row[1] ?? null },
]

test('CSV has a line of titles, quotes texts and leaves numbers bare', () => {
  const text = [
    ...csvOf(columns, [
      ['a "b", c', -5],
      ['plain', null],
    ]),
  ].join('')
  expect(text).toBe('"Name","Used, in all"\r\n"a ""b"", c",-5\r\n"plain",\r\n')
})

test.each(['=1+2', '+1', '-1', '@SUM(A1)', '  =1', '\t=1', '\r=1', '\nx', '|cmd', '＝1', '\u00a0=1'])(
  'no spreadsheet runs %j as a formula',
  text => expect(csvField(text).startsWith(`"'`)).toBe(true),
)

test('what begins otherwise stays as it is', () => {
  for (const text of ['host-1', '10.0.0.1', 'a=b', "it's", '']) expect(csvField(text)).toBe(`"${text}"`)
})

test('all rows are in both, whatever is in them', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null), fc.boolean())
  fc.assert(
    fc.property(fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { maxLength: 20 }), rows => {
      const table = { table: 'Hosts', cut: null }
      expect(JSON.parse([...jsonOf(table, columns, rows)].join('')).rows).toEqual(
        rows.map(([name, used]) => ({ name, used })),
      )
      const csv = [...csvOf(columns, rows)].join('')
      const outside = csv.split('"').filter((_, at) => at % 2 === 0)
      expect(outside.join('').split('\r\n')).toHaveLength(rows.length + 2)
    }),
  )
  const many = Array.from({ length: 1_203 }, (_, at): ExportedValue[] => [`h${at}`, at])
  expect([...csvOf(columns, many)].join('').split('\r\n')).toHaveLength(1_205)
})

test('the name of a file says that rows are missing', () => {
  expect(fileNameOf('What fits', false, 'csv')).toBe('what-fits.csv')
  expect(fileNameOf('Decisions', true, 'json')).toBe('decisions-cut.json')
})
