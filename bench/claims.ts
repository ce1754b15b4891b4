import { randomUUID } from 'node:crypto'
import { Random } from '../src/kernel/random.ts'
import { hostUuid } from './clouds.ts'
import type { Request } from './measure.ts'

/** Claims of new consumers, each on some host. */
export function claimsOn(hosts: (random: Random) => number, seed = 1): () => Request {
  const random = new Random(seed)
  return () => ({
    method: 'PUT',
    path: `/allocations/${randomUUID()}`,
    body: JSON.stringify({
      allocations: {
        [hostUuid(hosts(random))]: { resources: { VCPU: 1, MEMORY_MB: 64, DISK_GB: 1 } },
      },
      project_id: 'bench',
      user_id: 'bench',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    }),
  })
}

export const onAnyHost =
  (hosts: number) =>
  (random: Random): number =>
    random.below(hosts)
