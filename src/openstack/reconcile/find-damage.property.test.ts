import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareLedgers } from '../placement/compare.ts'
import { DAMAGES } from './damages.fixture.ts'
import { findDamage } from './find-damage.ts'
import { KIND_NAMES } from './kinds.ts'
import { type Cloud, clouds, FOREIGN } from './random-cloud.fixture.ts'
import { invertRepair } from './repair.ts'
import { applyRepair } from './repaired-ledger.fixture.ts'

const RUNS = { numRuns: 20 }

const find = ({ nova, ledger }: Cloud) => findDamage(nova, ledger, { unknownAreServers: false })
const briefly = async (cloud: Cloud) =>
  (await find(cloud)).findings.map(({ kind, subject }) => [kind, subject.id])

describe('reconcile', () => {
  test('a whole cloud has no finding', async () => {
    await fc.assert(
      fc.asyncProperty(clouds, async cloud => {
        expect(await briefly(cloud)).toEqual([])
      }),
    )
  })

  test('every kind is injected by some test', () => {
    expect(new Set(DAMAGES.map(({ kind }) => kind))).toEqual(new Set(KIND_NAMES))
  })

  describe.each(DAMAGES)('$kind of $subject', ({ kind, subject, isFixable, inject }) => {
    test('is found, and nothing else', async () => {
      await fc.assert(
        fc.asyncProperty(clouds, async cloud => {
          expect(await briefly(inject(cloud))).toEqual([[kind, subject]])
        }),
        RUNS,
      )
    })

    test(
      isFixable ? 'is mended by its repair, which can be undone' : 'cannot be mended in the ledger',
      async () => {
        await fc.assert(
          fc.asyncProperty(clouds, async whole => {
            const cloud = inject(whole)
            const [finding] = (await find(cloud)).findings
            if (!isFixable || !finding?.repair) {
              expect(finding?.repair).toBe(null)
              return
            }
            const mended = applyRepair(cloud.ledger, finding.repair)
            const { findings: left } = await find({ nova: cloud.nova, ledger: mended })
            expect(left.filter(one => one.subject.id === subject)).toEqual([])
            for (const one of FOREIGN) expect(mended.consumers.get(one.uuid)).toBe(one)
            const undone = applyRepair(mended, invertRepair(finding.repair))
            expect(compareLedgers(undone, cloud.ledger, { generations: false })).toEqual([])
          }),
          RUNS,
        )
      },
    )
  })
})
