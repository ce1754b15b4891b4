import { expect, test } from 'vitest'
import { type AuditPosition, type AuditRow, readAuditLog } from './audit-log.ts'

/** Entries of the times 1 to `count`, and how many rows were read of them. */
function makeLog(count: number) {
  let read = 0
  const rows = Array.from({ length: count }, (_, at) => ({ at_ms: count - at, id: `i${count - at}` }))
  const store = {
    async plainRows(_: string, { after, limit }: { after?: readonly unknown[]; limit: number }) {
      const from = after === undefined ? 0 : rows.findIndex(row => row.at_ms < (after[0] as number))
      const found = from < 0 ? [] : rows.slice(from, from + limit)
      read += found.length
      return found as AuditRow[]
    },
  }
  return { store: store as never, read: () => read }
}

const question = { after: null, sinceMs: 0, limit: 3, readMax: 2_000, matches: () => true }
const timesOf = (rows: readonly AuditRow[]) => rows.map(({ at_ms }) => at_ms)

test('reads no more than it needs when all match', async () => {
  const log = makeLog(5_000)
  const { rows, next } = await readAuditLog(log.store, question, 0)
  expect([timesOf(rows), next, log.read()]).toEqual([[5_000, 4_999, 4_998], [4_998, 'i4998'], 4])
})

test('stops at its limit of rows without a match, and goes on from there', async () => {
  const log = makeLog(5_000)
  const matches = ({ at_ms }: AuditRow) => at_ms <= 2_000 && at_ms % 1_000 === 0
  const found: number[] = []
  const nexts: (AuditPosition | null)[] = []
  let after: AuditPosition | null = null
  do {
    const page = await readAuditLog(log.store, { ...question, after, matches }, 0)
    found.push(...timesOf(page.rows))
    after = page.next
    nexts.push(after)
  } while (after !== null)
  expect(found).toEqual([2_000, 1_000])
  expect(nexts).toEqual([[3_001, 'i3001'], [1_001, 'i1001'], null])
  expect(log.read()).toBe(5_000)
})

test('reads nothing older than asked for', async () => {
  const log = makeLog(50)
  const { rows, next } = await readAuditLog(log.store, { ...question, sinceMs: 49 }, 0)
  expect([timesOf(rows), next]).toEqual([[50, 49], null])
})
