import { expect, test } from 'vitest'
import { findQuota, fullestText, quotaText } from './quota-text.ts'

const project = (shares: { resource: string; used: number; limit: number | null }[]) => ({
  id: 'p',
  name: 'lab',
  description: '',
  enabled: true,
  members: 1,
  compute: [{ resource: 'ram', used: 4096, limit: null }],
  shares,
})

test('a quota says what is used, and the limit if there is one', () => {
  const lab = project([{ resource: 'shares', used: 3, limit: 50 }])
  expect(quotaText(findQuota(lab, 'ram'), 'MEMORY_MB')).toBe('4 GiB')
  expect(quotaText(findQuota(lab, 'shares'), '')).toBe('3 of 50')
  expect(quotaText(findQuota(lab, 'volumes'), '')).toBe('–')
})

test('the fullest limit is named; what is not limited or not used is not', () => {
  const full = [
    { resource: 'shares', used: 5, limit: 50 },
    { resource: 'snapshot_gigabytes', used: 90, limit: 100 },
    { resource: 'none', used: 0, limit: 0 },
  ]
  expect(fullestText(project(full))).toBe('snapshot gigabytes 90%')
  expect(fullestText(project([{ resource: 'shares', used: 0, limit: 50 }]))).toBeNull()
})
