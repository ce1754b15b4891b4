import type { Weigher } from '../../framework/weigher.ts'

export const crossCellWeigher: Weigher = {
  name: 'CrossCellWeigher',
  summary: 'Accepted for compatibility: Berth has one cell, so it adds nothing.',
  multiplierKey: 'cross_cell_move_weight_multiplier',
  multiplier: 1_000_000,
  reads: {},
  isIdle: () => true,
  weigh: () => 0,
}
