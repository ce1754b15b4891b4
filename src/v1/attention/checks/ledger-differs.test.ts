import { describe, expect, test } from 'vitest'
import type { CheckRun } from '../check.ts'
import { ledgerDiffers, ledgerUnchecked } from './ledger-differs.ts'

describe('the comparison with Nova', () => {
  const run = (reconcile: object) => ({ reconcile }) as CheckRun
  const finding = (kind: string, id: string) => ({
    kind,
    subject: { type: 'server', id, name: `name of ${id}` },
    remedy: 'Delete it.',
  })

  test('its findings are counted by kind, each with a link to what it is about', async () => {
    const last = {
      cloud: 'west cloud',
      counts: { orphaned: 2, doubled: 1 },
      findings: [finding('doubled', 'd'), finding('orphaned', 'o')],
    }
    expect(await ledgerDiffers.find(run({ last }))).toMatchObject({
      total: 3,
      text: '3 differences between the ledger and Nova (2 orphaned, 1 doubled)',
      command: "berth reconcile --cloud 'west cloud'",
      link: '/servers/o',
      items: [
        { name: 'orphaned: server name of o', text: 'Delete it.' },
        { name: 'doubled: server name of d', link: '/servers/d' },
      ],
    })
    expect(await ledgerDiffers.find(run({ last: { ...last, counts: {} } }))).toBeNull()
    expect(await ledgerDiffers.find(run({ last: null }))).toBeNull()
  })

  test('a comparison that failed leaves the ledger unchecked', async () => {
    const failure = { at: '2026-11-18T12:00:00Z', reason: 'no route' }
    expect(await ledgerUnchecked.find(run({ cloud: 'west', failure }))).toMatchObject({
      text: 'The ledger could not be compared with Nova: no route',
      command: 'berth reconcile --cloud west',
    })
    expect(await ledgerUnchecked.find(run({ cloud: null, failure: null }))).toBeNull()
  })
})
