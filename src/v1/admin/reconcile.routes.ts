import { type ReconcileState, reconcileStateShape } from '../../wire/reconcile.ts'
import { type V1Route, v1Route } from '../api/route.ts'

/** What the background comparison with Nova found last. */
export function reconcileRoutes(state: () => ReconcileState): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/reconcile',
      operation: 'berth:reconcile',
      summary: 'Show what the last comparison of the ledger with Nova found',
      description:
        'With `reconcile_cloud`, the server compares its ledger with the servers, migrations, computes and aggregates of that ' +
        'cloud every `reconcile_interval_seconds`. It changes nothing: `berth reconcile --fix` does.',
      answer: { description: 'The last result, and whether a check is running.', shape: reconcileStateShape },
      handle: () => state(),
    }),
  ]
}
