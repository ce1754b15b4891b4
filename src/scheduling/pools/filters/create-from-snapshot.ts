import { PASS, refuse } from '../../framework/refusal.ts'
import type { PoolFilter } from '../pool-view.ts'

export const createFromSnapshotFilter: PoolFilter = {
  name: 'CreateFromSnapshotFilter',
  summary: 'Keeps a share that is made from a snapshot to the back end of the snapshot.',
  reads: { request: ['snapshot'] },
  check({ snapshot }, { backendId }) {
    if (snapshot === null || snapshot.backendId === backendId) return PASS
    return refuse('snapshot.elsewhere', { snapshot: snapshot.uuid, backend: snapshot.backend })
  },
}
