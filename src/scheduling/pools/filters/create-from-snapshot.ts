import { PASS, refuse } from '../../framework/refusal.ts'
import { definePoolFilter, definePoolReason } from '../pool-view.ts'

const elsewhere = definePoolReason({
  code: 'snapshot.elsewhere',
  text: ({ snapshot, backend }: { readonly snapshot: string; readonly backend: string }) =>
    `the snapshot ${snapshot} is on the back end ${backend}.`,
  hostsText: 'are not on the back end of the snapshot',
  remedy: (_facts, pool) => `use a snapshot that is on the back end of ${pool}`,
  memberText: ({ snapshot }) =>
    `a share from snapshot ${snapshot} has to be on its back end, and no pool there fits.`,
})

export const createFromSnapshotFilter = definePoolFilter({
  name: 'CreateFromSnapshotFilter',
  summary: 'Keeps a share that is made from a snapshot to the back end of the snapshot.',
  reads: { request: ['snapshot'] },
  reasons: [elsewhere],
  messageDetail: '016',
  check({ snapshot }, { backendId }) {
    if (snapshot === null || snapshot.backendId === backendId) return PASS
    return refuse(elsewhere, { snapshot: snapshot.uuid, backend: snapshot.backend })
  },
})
