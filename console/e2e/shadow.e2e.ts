import { afterAll, expect, test } from 'vitest'
import { Server } from './server.ts'
import { expectAccessible, stage, textOf } from './stage.ts'

/** In the place of the Placement that is to be replaced. */
const placement = new Server('--auth', 'noauth2', '--rbac', 'legacy')
const HOST = '00000001-0000-4000-8000-000000000001'
const RENAMED = '00000001-0000-4000-8000-000000000002'

const { server, open } = stage({
  async flags() {
    await placement.start()
    return ['--auth', 'noauth2', '--rbac', 'legacy', '--shadow-of', `${placement.url}/placement`]
  },
  env: {},
})
afterAll(() => placement.end())

test('answers that differ are told, also on a phone, and what needs attention leads to them', async () => {
  await server.ask('POST', '/placement/resource_providers', { name: 'node-1', uuid: RENAMED })
  const path = `/placement/resource_providers/${RENAMED}`
  // Behind the back of the shadow.
  await placement.ask('PUT', path, { name: 'node-2' })
  await server.ask('GET', path)
  const page = await open('/shadow', { width: 360 })
  const grid = page.getByRole('grid', { name: 'Differences' })
  await expect.poll(() => textOf(grid.getByRole('row').nth(1))).toContain('/resource_providers/')
  await expectAccessible(page)
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBe(0)
  const start = await open('/')
  await start.getByRole('link', { name: /differed from Placement in the last hour$/ }).click()
  await start.getByRole('heading', { name: 'Shadow', level: 1 }).waitFor()
  await expectAccessible(start)
})

test('the page of the shadow tells who answers, how fast, what was compared and what was repaired', async () => {
  await server.ask('GET', '/placement/resource_providers')
  // Behind the back of the shadow: its sweep finds it.
  await placement.ask('POST', '/placement/resource_providers', { name: 'host-1', uuid: HOST })
  await server.ask('POST', '/v1/shadow/sweep')
  const page = await open('/shadow')
  const text = () => page.getByRole('main').innerText()
  await expect.poll(text).toMatch(/Reads: placement Writes: placement/)
  await expect.poll(text).toMatch(/Placement took [\d.]+ ms, p99 [\d.]+ ms; Berth [\d.]+ ms/)
  const repairs = page.getByRole('grid', { name: 'Repairs' })
  await expect.poll(() => repairs.innerText()).toMatch(/berth\s+the sweep found it\s+provider host-1/)
  await expect
    .poll(() => page.getByRole('grid', { name: 'Requests' }).innerText())
    .toMatch(/GET\s+\/resource_providers\s+equal/)
  await expectAccessible(page)
  await server.ask('PUT', '/v1/shadow', { reads: 'berth' })
  await expect.poll(text).toMatch(/Reads: berth Writes: placement/)
})
