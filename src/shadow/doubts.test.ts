import { expect, test, vi } from 'vitest'
import { Doubts } from './doubts.loop.ts'
import type { Checked } from './repair.ts'
import { ShadowReport } from './report.ts'

function makeDoubts(repair: (subjects: ReadonlySet<string>) => Checked) {
  const asked: ReadonlySet<string>[] = []
  const report = new ShadowReport({
    counted: vi.fn(),
    differed: vi.fn(),
    repaired: vi.fn(),
    took: vi.fn(),
  })
  const doubts = new Doubts({
    repair: {
      repair: async (subjects: ReadonlySet<string>) => {
        asked.push(subjects)
        return repair(subjects)
      },
    } as never,
    report,
    truth: () => 'placement',
    stillness: () => 1,
    sweepAll: vi.fn(),
  })
  return { doubts, report, asked }
}

const settle = (doubts: Doubts) => vi.waitFor(() => expect(doubts.length).toBe(0), 20_000)

test('many doubts are read together, so that a switch need not wait for each', async () => {
  const { doubts, asked } = makeDoubts(() => ({ kind: 'equal' }))
  for (let nth = 0; nth < 300; nth++) doubts.add(new Set([`thing ${nth}`]), 'two writes overlapped')
  await settle(doubts)
  expect(new Set(asked.flatMap(some => [...some])).size).toBe(300)
  expect(asked.length).toBeLessThan(15)
})

test('one that cannot be repaired does not keep the others from it', async () => {
  const difference = { kind: 'provider', name: 'a', key: 'a', field: 'name', left: 1, right: 2 } as const
  const { doubts, report } = makeDoubts(subjects => ({
    kind: 'differed',
    differences: [difference],
    failure: subjects.has('thing 2') ? 'refused' : null,
  }))
  for (let nth = 0; nth < 5; nth++) doubts.add(new Set([`thing ${nth}`]), 'two writes overlapped')
  await settle(doubts)
  const repairs = report.listRepairs()
  expect(repairs.filter(({ repaired }) => repaired === null)).toHaveLength(1)
  expect(repairs.filter(({ repaired }) => repaired === 'berth').length).toBeGreaterThan(0)
})
