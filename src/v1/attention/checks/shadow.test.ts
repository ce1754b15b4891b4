import { describe, expect, test } from 'vitest'
import type { CheckRun } from '../check.ts'
import { shadowBehind, shadowDiffers } from './shadow.ts'

describe('the Placement that is shadowed', () => {
  const nowMs = Date.parse('2026-11-18T12:00:00Z')
  const shadowOf = (backlog: object, sweep: object = { failure: null }, is_ended = false) => ({
    status: () => ({ is_ended, backlog: { to_send: 0, to_apply: 0, in_doubt: 0, ...backlog }, sweep }),
    listDifferences: () => ({ total: 0, differences: [] as object[], repairs: [] as object[] }),
  })
  const run = (shadow: unknown) => ({ shadow, nowMs }) as CheckRun

  test('answers that differed in the last hour are counted by route, older ones are not', async () => {
    const differ = (at: string, what: string) => ({ at, method: 'GET', route: '/traits', what })
    const shadow = {
      ...shadowOf({}),
      listDifferences: () => ({
        differences: [
          differ('2026-11-18T11:59:00.000Z', 'status'),
          differ('2026-11-18T11:30:00.000Z', 'body'),
          differ('2026-11-18T10:00:00.000Z', 'body'),
        ],
        repairs: [{ at: '2026-11-18T11:00:01.000Z', what: 'trait A', repaired: null }],
      }),
    }
    expect(await shadowDiffers.find(run(shadow))).toMatchObject({
      total: 3,
      text: '2 answers and 1 entry of the ledger differed from Placement in the last hour',
      link: '/shadow',
      items: [
        { name: 'not repaired', text: 'trait A' },
        { name: 'GET /traits', text: '2 times, last: status' },
      ],
    })
    expect(await shadowDiffers.find(run(shadowOf({})))).toBeNull()
    expect(await shadowDiffers.find(run(null))).toBeNull()
  })

  test('a long queue and a comparison that fails are behind; an ended shadow is not', async () => {
    expect(await shadowBehind.find(run(shadowOf({ to_send: 100 })))).toBeNull()
    expect(await shadowBehind.find(run(shadowOf({ to_send: 101 })))).toMatchObject({
      text: 'The shadow is behind: Placement: 101 writes not sent yet',
      command: 'berth shadow status',
    })
    expect(await shadowBehind.find(run(shadowOf({}, { failure: 'no route' })))).toMatchObject({
      text: 'The shadow is behind: the comparison of the ledgers: no route',
    })
    expect(await shadowBehind.find(run(shadowOf({ to_send: 500 }, { failure: null }, true)))).toBeNull()
  })
})
