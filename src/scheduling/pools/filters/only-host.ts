import { PASS, refuse } from '../../framework/refusal.ts'
import type { PoolFilter } from '../pool-view.ts'

export const onlyHostFilter: PoolFilter = {
  name: 'OnlyHostFilter',
  summary: 'Keeps to the pool that the hint only_host names.',
  reads: { hints: ['only_host'] },
  check({ onlyHost }, { name }) {
    return onlyHost === null || onlyHost === name ? PASS : refuse('only-host.other', { asked: onlyHost })
  },
}
