import type { FastifyInstance } from 'fastify'
import type { VerifyReport } from '../store/verify-world.ts'

/** Compares memory with the store, between two writes. */
export function verifyRoom(verify: () => Promise<VerifyReport>): (scope: FastifyInstance) => void {
  return scope => {
    scope.post('/verify', { config: { operation: 'berth:verify' } }, () => verify())
  }
}
