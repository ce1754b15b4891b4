import type { VerifyReport } from '../../store/verify/verify-world.ts'
import { verifyReportShape } from '../../wire/admin.ts'
import { type V1Route, v1Route } from '../api/route.ts'

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
        'Reads the whole store and compares it row by row with memory at the same revision. Writes go on.',
      answer: {
        description: 'The report; its lists are empty if memory and store agree.',
        shape: verifyReportShape,
      },
      handle: () => verify(),
    }),
  ]
}
