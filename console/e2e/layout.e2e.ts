import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, stage } from './stage.ts'

const { server, open } = stage('--auth', 'noauth2')

const DOMAIN = '.dc1.frankfurt.cloud.example.org'
const HOSTS = ['01', '02', '03'].map(number => `compute-production-rack07-${number}${DOMAIN}`)
const CLASSES = ['VCPU', 'MEMORY_MB', 'DISK_GB', 'NET_BW_EGR_KILOBIT_PER_SEC']
const WIDTHS = [1280, 360]
let decision = ''

beforeAll(async () => {
  await server.ask('POST', '/v1/apply?owner=layout', {
    hosts: HOSTS.map(name => ({
      name,
      inventories: Object.fromEntries(CLASSES.map(one => [one, { total: 100_000 }])),
    })),
    flavors: [
      { name: 'm1.small', vcpus: 1, ram: 256, disk: 1 },
      { name: 'm1.huge', vcpus: 999_999, ram: 256, disk: 1 },
    ],
  })
  const ask = { flavor: 'm1.small', count: 2, dry_run: true }
  await server.ask('POST', '/v1/schedule', ask)
  const refused = await server
    .ask('POST', '/v1/schedule', { ...ask, flavor: 'm1.huge' })
    .catch(error => String(error))
  decision = /"decision":"([^"]+)"/.exec(String(refused))?.[1] as string
})

const boxOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('it is not on the page')
  return box
}

/** What of the name can be seen: the end is never cut. */
const ends = (names: Locator) =>
  names.evaluateAll(all => all.map(one => one.lastElementChild?.lastElementChild?.textContent))

async function expectInside(inner: Locator, outer: Locator): Promise<void> {
  const [small, large] = [await boxOf(inner), await boxOf(outer)]
  expect(small.x).toBeGreaterThanOrEqual(large.x)
  expect(small.x + small.width).toBeLessThanOrEqual(large.x + large.width)
}

const expectNoSideways = async (page: Page) =>
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBe(0)

describe.each(WIDTHS)('hosts with long names, at %i pixels', width => {
  test('tiles of the map show what differs, and are called by the whole name', async () => {
    const page = await open('/', { width })
    for (const host of HOSTS) await page.getByRole('link', { name: host }).waitFor()
    const tiles = page.locator('[data-tile]')
    const seen = await ends(tiles.locator('b'))
    expect(seen).toEqual(['k07-01', 'k07-02', 'k07-03'])
    await expectInside(tiles.locator('b > span > span').last(), tiles.last())
    await expectNoSideways(page)
  })

  test('reasons are beside the name, not on it', async () => {
    const page = await open('/why?flavor=m1.huge', { width })
    const host = page.getByRole('region', { name: 'Hosts' }).getByRole('group').first()
    await host.waitFor()
    const [name, badge] = [await boxOf(host.getByRole('strong')), await boxOf(host.getByText('no room'))]
    expect(name.x + name.width).toBeLessThanOrEqual(badge.x)
    await host.locator('summary').click()
    await expectInside(host.getByRole('link').last(), host)
    await expectNoSideways(page)
  })

  test('every column of the inventories is in sight, or the keyboard gets to it', async () => {
    const page = await open('/providers', { width })
    await page.getByRole('link', { name: HOSTS[0] as string }).click()
    const numbers = page.getByRole('group', { name: 'Inventories in numbers' })
    await numbers.waitFor()
    await expectNoSideways(page)
    if (width === 1280) return expectInside(numbers.getByRole('columnheader', { name: 'Ratio' }), numbers)
    await page.getByRole('button', { name: 'Edit inventories' }).focus()
    await page.keyboard.press('Tab')
    expect(await numbers.evaluate(element => element === document.activeElement)).toBe(true)
    for (let press = 0; press < 20; press++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => numbers.evaluate(element => element.scrollLeft)).toBeGreaterThan(100)
    await expectAccessible(page)
  })
})

describe('decisions', () => {
  test('are listed newest first, and say so, with flavor, servers and reason', async () => {
    const page = await open('/decisions')
    const grid = page.getByRole('grid', { name: 'Decisions' })
    await grid.getByRole('link').first().waitFor()
    const when = grid.getByRole('columnheader', { name: 'When' })
    expect(await when.getAttribute('aria-sort')).toBe('descending')
    const rows = grid.getByRole('row')
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/refused[\s\S]*m1\.huge[\s\S]*No host fits/)
    await expect.poll(() => rows.nth(2).innerText()).toMatch(/m1\.small[\s\S]*2 servers[\s\S]*compute-/)
    await when.getByRole('button').click()
    expect(await when.getAttribute('aria-sort')).toBe('ascending')
    await expect.poll(() => rows.nth(1).innerText()).toContain('m1.small')
    await when.getByRole('button').click()
    await expect.poll(() => page.url()).toBe(`${server.url}/decisions`)
  })

  test('one is told in words: what was asked, and why it was refused', async () => {
    const page = await open(`/decisions/${decision}`)
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByText('No host fits').waitFor()
    const asked = page.getByRole('region', { name: 'What was asked' })
    expect(await asked.getByRole('definition').allInnerTexts()).toContain('m1.huge')
    expect(await asked.getByRole('term').allInnerTexts()).toEqual(['Flavor', '2 servers', 'Project', 'User'])
    expect(await asked.innerText()).not.toContain('{')
    await asked.getByText('The whole request').click()
    await expect.poll(() => asked.innerText()).toContain('{')
    await expectAccessible(page)
  })
})
