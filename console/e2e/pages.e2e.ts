import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { signInAs } from './browser.ts'
import { expectAccessible, stage } from './stage.ts'

const theStage = stage('--demo', '--auth', 'noauth2')
const { server, open } = theStage

const GPU_REQUEST =
  'resources_CPU=VCPU:8,MEMORY_MB:16384&resources_GPU=PGPU:1&resources_NET=SRIOV_NET_VF:1&same_subtree=_CPU,_GPU,_NET&group_policy=none'

const PAGES: readonly (readonly [path: string, heading: string])[] = [
  ['/', 'Capacity'],
  ['/?as=racks', 'Capacity'],
  ['/?as=worst', 'Capacity'],
  ['/?as=dense', 'Capacity'],
  ['/?as=table', 'Capacity'],
  ['/?as=racks&choose=yes&rack=Rack+b1', 'Capacity'],
  ['/hosts/change?do=take-down&rack=Rack+b1', 'Rack b1'],
  ['/hosts/change?do=ratio&class=MEMORY_MB&ratio=0.1&rack=Rack+b1', 'Rack b1'],
  ['/home', 'Project admin'],
  ['/usage', 'Usage over time'],
  ['/activity', 'Activity'],
  ['/providers', 'Providers'],
  ['/providers/6241b3d2-1428-50f4-aba5-a65e083305d1', 'gpu-c2-02'],
  ['/candidates?resources=VCPU:1', 'Candidates'],
  [`/candidates?${GPU_REQUEST}`, 'Candidates'],
  ['/candidates?resources=VCPU:9999', 'Candidates'],
  ['/why', 'Why no host'],
  ['/why?flavor=m1.large', 'Why no host'],
  ['/why?flavor=d1.dense&zone=a', 'Why no host'],
  ['/shadow', 'Shadow'],
  ['/decisions', 'Decisions'],
  ['/decisions/DECISION', 'Decision'],
  ['/boots/BOOT', 'Boot'],
  ['/servers/00000000-0000-4000-8000-000000000000', 'Server'],
  ['/servers/SERVER', 'shown-1'],
  ['/what-if', 'What if'],
  ['/what-if?flavor=m1.small&drain=gp-a1-01', 'What if'],
  ['/flavors', 'Flavors'],
  ['/flavors/FLAVOR', 'g1.whole'],
  ['/aggregates', 'Aggregates'],
  ['/aggregates/8', 'rack a1'],
  ['/shares', 'Shares'],
  ['/shares?bin=1', 'Shares'],
  ['/shares/new?near=15cdd995-d4df-58fc-afc3-20929fdee782', 'New share'],
  ['/shares/85feddc3-168f-5990-9c05-ed87a1d9dd2f', 'shop-db-1'],
  ['/shares/ec4f7231-5343-5c82-a1ac-4749e282307c', 'shop-db-3'],
  ['/shares/acab5dd9-b474-5ab6-b3a5-ed911c66ef78', 'genomes-results'],
  ['/shares/3782fbcc-9adb-56ef-8eec-3057ed52637e/move', 'Move shop-db-2'],
  ['/shares/types', 'Share types'],
  ['/catalog', 'Catalog'],
  ['/catalog/import', 'Catalog'],
  ['/catalog/drift', 'Catalog'],
  ['/catalog/namespaces/Berth%3A%3AFlavor%3A%3ACPU', 'CPU, flavors only'],
  ['/access/users', 'Users'],
  ['/access/users/nobody', 'User'],
  ['/access/projects', 'Projects'],
  ['/access/projects/shop', 'Project shop'],
  ['/access/tokens', 'Tokens'],
  ['/access/policy?operation=berth%3Aaudit', 'Roles and policy'],
  ['/access/audit', 'Audit log'],
  ['/no/such/page', 'Nothing is here'],
]

/** What the first page may take over the wire, compressed. */
const FIRST_PAGE_BYTES_MAX = 240_000

/** One tab for all: signing in again for each page would take most of the time. */
let dark: Page | null = null
let narrow: Page | null = null

async function narrowPage(): Promise<Page> {
  const page = await open('/', { width: 360, token: null, stays: true })
  await page.evaluate(() => sessionStorage.setItem('berth-token', 'admin'))
  return page
}

/** What has another id on every server: a flavor with extra specs, and a decision; and a boot without a candidate. */
const ids = new Map<string, string>()
const BOOT = 'req-00000000-0000-4000-9000-000000000001'
const SERVER = '00000000-0000-4000-9000-000000000002'

beforeAll(async () => {
  type Flavors = { flavors: { id: string; name: string }[] }
  const { flavors } = await server.ask<Flavors>('GET', '/compute/v2.1/flavors')
  ids.set('FLAVOR', flavors.find(({ name }) => name === 'g1.whole')?.id as string)
  await server.ask('POST', '/v1/schedule', { flavor: 'm1.medium', instances: [SERVER], names: ['shown-1'] })
  ids.set('SERVER', SERVER)
  const ask = { flavor: 'm1.medium', count: 1, dry_run: true }
  ids.set('BOOT', BOOT)
  await fetch(`${server.url}/placement/allocation_candidates?resources=VCPU:9999`, {
    headers: { 'x-auth-token': 'admin', 'x-openstack-request-id': BOOT },
  })
  ids.set('DECISION', (await server.ask<{ decision: string }>('POST', '/v1/schedule', ask)).decision)
})

async function go(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(server.url + path.replace(/FLAVOR|DECISION|BOOT|SERVER/, name => ids.get(name) as string))
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Reading' }).first().waitFor({ state: 'detached' })
  await page.waitForTimeout(150)
}

/** How far the whole page can be scrolled sideways. */
const sidewaysOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

describe('every page', () => {
  test.each(PAGES)('%s is accessible in the dark, and fits 1280 pixels', async (path, heading) => {
    dark ??= await open('/', { scheme: 'dark', stays: true, width: 1280 })
    await go(dark, path, heading)
    expect(await sidewaysOf(dark)).toBe(0)
    await expectAccessible(dark)
  })

  test.each(PAGES)(
    '%s is accessible in the light, and can be read on a screen of 360 pixels',
    async (path, heading) => {
      narrow ??= await narrowPage()
      await go(narrow, path, heading)
      expect(await sidewaysOf(narrow)).toBe(0)
      await expectAccessible(narrow)
    },
  )
})

describe('the shell', () => {
  test('the first page takes less than 240 kB', async () => {
    const page = await theStage.browser.newPage()
    await signInAs(page, server.url, 'admin')
    let bytes = 0
    const counted: string[] = []
    page.on('response', response => {
      const isOurs = response.request().resourceType() !== 'fetch'
      const length = Number(response.headers()['content-length'] ?? 0)
      if (!isOurs) return
      bytes += length
      counted.push(`${length} ${new URL(response.url()).pathname}`)
    })
    await page.goto(`${server.url}/`)
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await page.waitForTimeout(1_000)
    expect(counted.length).toBeGreaterThan(3)
    // One without a length would count as nothing.
    expect(counted.filter(one => !/^[1-9]/.test(one))).toEqual([])
    expect(bytes, counted.join('\n')).toBeLessThan(FIRST_PAGE_BYTES_MAX)
    console.log(`the first page: ${bytes} bytes in ${counted.length} answers`)
    await page.close()
  })

  test('everything with a name is found with the keyboard alone', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: /^Find a server/ }).waitFor()
    await page.keyboard.type('gpu-c2-02')
    await page.getByRole('option', { name: /^gpu-c2-02 root provider/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gpu-c2-02', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
  })

  test('colours are chosen and kept', async () => {
    const page = await open('/')
    await page.getByRole('button', { name: 'Use dark colours' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Use light colours' }).waitFor()
  })

  test('a narrow screen has the views behind a button', async () => {
    const page = await narrowPage()
    await page.reload()
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('dialog', { name: 'Menu' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Flavors' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
  })
})
