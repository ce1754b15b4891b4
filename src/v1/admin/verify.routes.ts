import type { VerifyReport } from '../../store/verify/verify-world.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { byName, list, number, object, orNull, text, whole } from '../api/shape.ts'

const row = orNull(byName(orNull(text('A value.')), 'The row.'))

const report = object('What was found.', {
  store: text('What was looked at: the data directory, or the address of the database without its password.'),
  revision: whole('The revision that was compared.'),
  rows: whole('How many rows were compared.'),
  differences_total: whole('How many rows differ.'),
  differences: list(
    object('A row that differs.', {
      table: text('Its table.'),
      key: text('Its key.'),
      stored: row,
      memory: row,
    }),
    'The first of them.',
  ),
  problems_total: number('How many things are wrong with the stored state or history by itself.'),
  problems: list(
    object('A problem.', { kind: text('Its kind.'), what: text('What it is.') }),
    'The first of them.',
  ),
})

/** Compares memory with the store. */
export function verifyRoutes(verify: () => Promise<VerifyReport>): V1Route[] {
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/verify',
      operation: 'berth:verify',
      summary: 'Compare the state in memory with the stored one',
      description:
        'Reads the whole store anew and compares it row by row with memory at the same revision. Writes go on.',
      answer: { description: 'What was found; empty lists when all is well.', shape: report },
      handle: () => verify(),
    }),
  ]
}
