import type { Weigher } from '../../framework/weigher.ts'

export const diskWeigher: Weigher = {
  name: 'DiskWeigher',
  summary: 'Prefers hosts with more free disk.',
  multiplierKey: 'disk_weight_multiplier',
  multiplier: 1,
  least: 0,
  reads: { host: ['free_disk_mb'] },
  weigh: (_request, host) => host.diskMibFree,
}
