import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { choose, expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const hostOf = (name: string) =>
  server.ask<{ status: string; disabled_reason: string | null; aggregates: string[] }>(
    'GET',
    `/v1/hosts/${name}`,
  )
const chosen = (page: Page) => page.getByRole('region', { name: 'Chosen hosts' })
const box = async (page: Page, name: RegExp | string) => {
  const found = await page.getByRole('checkbox', { name }).boundingBox()
  if (found === null) throw new Error('it is not on the page')
  return found
}

/** The file that a click saves. */
async function saved(page: Page, button: string): Promise<readonly [name: string, text: string]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')]
}

describe('can rack b2 be taken down', () => {
  test('two clicks from the map to the answer, with the servers that find no place and why', async () => {
    const page = await open('/?as=racks')
    await page.getByRole('link', { name: /^Rack b2 / }).click()
    await page.getByRole('link', { name: 'Can it be taken down?' }).click()
    await page.getByRole('alert').filter({ hasText: 'No: 8 of 60 servers find no other place.' }).waitFor()
    const stuck = page.getByRole('grid', { name: 'Servers without a place' })
    await expect.poll(() => stuck.getByRole('row').count()).toBe(9)
    await expect.poll(() => textOf(stuck.getByRole('row').nth(1))).toMatch(/gpu-b2-0\d.*No host fits/)
    await expectAccessible(page)
    expect((await hostOf('gpu-b2-01')).status).toBe('enabled')
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ do: 'take-down', rack: 'Rack b2' })
  })

  test('a rack whose servers all find a place is disabled in one commit, and that is undone from the map', async () => {
    const page = await open('/hosts/change?do=take-down&rack=Rack+b1&reason=new+switch')
    await page
      .getByRole('status')
      .filter({ hasText: /^Yes: all \d+ servers find another place/ })
      .waitFor()
    await page.getByRole('button', { name: /^Disable \d+ hosts/ }).click()
    const done = page.getByRole('status').filter({ hasText: /Disabled \d+ hosts/ })
    await done.waitFor()
    expect(await hostOf('gp-b1-01')).toMatchObject({ status: 'disabled', disabled_reason: 'new switch' })
    await expectAccessible(page)
    await page.reload()
    await done.waitFor()
    await page.getByRole('link', { name: 'Capacity', exact: true }).first().click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /Undone: \d+ hosts as before/ })
      .waitFor()
    expect(await hostOf('gp-b1-01')).toMatchObject({ status: 'enabled', disabled_reason: null })
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => page.getByText('Undone').count()).toBe(0)
  })

  test('a change is made to the state that the preview saw, or on request to whatever there is', async () => {
    const page = await open('/hosts/change?do=disable&rack=Rack+c1')
    const disable = page.getByRole('button', { name: /^Disable \d+ hosts/ })
    await page.getByText(/^\d+ hosts would change\.$/).waitFor()
    const raise = (ratio: number) =>
      server.ask('POST', '/v1/hosts/change', { hosts: ['gp-c1-01'], allocation_ratios: { VCPU: ratio } })
    await raise(7)
    await disable.click()
    const outdated = page.getByRole('alert').filter({ hasText: 'Nothing was changed: gp-c1-01 is not as' })
    await outdated.waitFor()
    await expectAccessible(page)
    expect((await hostOf('gp-c1-02')).status).toBe('enabled')
    // The preview is made again; it is outdated again by then.
    const anyway = page.getByRole('button', { name: 'Do it whatever changes meanwhile', exact: true })
    await anyway.waitFor()
    await raise(8)
    await anyway.click()
    await page
      .getByRole('status')
      .filter({ hasText: /Disabled \d+ hosts/ })
      .waitFor()
    expect((await hostOf('gp-c1-02')).status).toBe('disabled')
    // One is disabled with its own reason already: it does not count and keeps it.
    await page.getByRole('button', { name: /^Disable \d+ hosts.*They are so already/ }).waitFor()
    expect((await hostOf('gp-c1-06')).disabled_reason).toBe('emptied for maintenance')
  })

  test('an undo that came too late says what changed since', async () => {
    const page = await open('/hosts/change?do=disable&rack=Rack+c2')
    await page.getByRole('button', { name: /^Disable \d+ hosts/ }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await server.ask('PUT', '/v1/hosts/gp-c2-01', { disabled: false })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('alert').filter({ hasText: 'settings of host gp-c2-01 changed since' }).waitFor()
    expect((await hostOf('gp-c2-02')).status).toBe('disabled')
  })
})

describe('hosts are chosen', () => {
  test('by click, by a box, by the space bar and all that is shown; the address keeps them', async () => {
    const page = await open('/?q=gp-a')
    await page.getByRole('button', { name: 'Choose hosts' }).click()
    await page.getByText('No host is chosen').waitFor()
    await page.getByRole('checkbox', { name: /^gp-a1-01/ }).click()
    await chosen(page).getByText('1 host chosen').waitFor()
    const [from, to] = [await box(page, /^gp-a1-03/), await box(page, /^gp-a1-04/)]
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 8, to.y + 12, { steps: 4 })
    await page.mouse.up()
    await chosen(page).getByText('3 hosts chosen').waitFor()
    await page.getByRole('checkbox', { name: /^gp-a1-01/ }).focus()
    await page.keyboard.press('Space')
    await chosen(page).getByText('2 hosts chosen').waitFor()
    await expectAccessible(page)
    await page.reload()
    await chosen(page).getByText('2 hosts chosen').waitFor()
    await chosen(page).getByRole('link', { name: 'Change them …' }).click()
    await page.getByRole('heading', { name: 'Change 2 hosts', level: 1 }).waitFor()
    await expect
      .poll(() => page.getByRole('list', { name: 'Chosen hosts' }).getByRole('link').allTextContents())
      .toEqual(['gp-a1-03', 'gp-a1-04'])
    await page.goBack()
    await chosen(page)
      .getByRole('button', { name: /^Choose all \d+ shown/ })
      .click()
    await chosen(page)
      .getByText(/\d\d hosts chosen/)
      .waitFor()
    await chosen(page).getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?q=gp-a')
    await page.getByRole('link', { name: /^gp-a1-01/ }).click()
    await page.getByRole('heading', { name: 'gp-a1-01', level: 1 }).waitFor()
  })

  test('by racks, which tell how much of them is chosen', async () => {
    const page = await open('/?as=racks&choose=yes')
    await page.getByRole('checkbox', { name: /^Rack a1 / }).click()
    await chosen(page).getByText('hosts chosen').waitFor()
    const cell = page.getByRole('checkbox', { name: /^Rack a1 / })
    await expect.poll(() => cell.getAttribute('aria-checked')).toBe('true')
    await choose(page, 'Tiles')
    await page.getByRole('checkbox', { name: /^gp-a1-01/ }).click()
    await choose(page, 'Racks')
    await expect.poll(() => cell.getAttribute('aria-checked')).toBe('mixed')
    await expectAccessible(page)
  })

  test('on the dense canvas by key', async () => {
    const page = await open('/?as=dense&by=none&choose=yes')
    const widget = page.getByRole('application', { name: /^Hosts of All hosts/ })
    await widget.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Space')
    await chosen(page).getByText('1 host chosen').waitFor()
    await expect.poll(() => widget.textContent()).toMatch(/gp-a1-01.*, chosen/)
  })
})

describe('a change of many hosts', () => {
  test('puts them into an aggregate, and previews a ratio that is too small', async () => {
    await server.ask('POST', '/v1/apply?owner=e2e', { aggregates: [{ name: 'night' }] })
    const page = await open('/hosts/change?rack=Rack+a3')
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Put into an aggregate' }).click()
    await page.getByText('Choose an aggregate.').waitFor()
    await page.getByRole('combobox', { name: 'Host aggregate' }).fill('night')
    await page.getByRole('option', { name: 'night' }).click()
    await page.getByText(/^\d+ hosts would change\.$/).waitFor()
    await page.getByRole('button', { name: /^Put \d+ hosts into it/ }).click()
    await page.getByRole('status').filter({ hasText: 'into night.' }).waitFor()
    expect((await hostOf('hm-a3-01')).aggregates).toContain('night')
    await page.goto(`${server.url}/hosts/change?rack=Rack+a1&do=ratio&class=MEMORY_MB&ratio=0.1`)
    await page.getByRole('region', { name: 'Would be over capacity' }).waitFor()
    await expectAccessible(page)
  })

  test('at 360 pixels nothing is cut, and the answer is read', async () => {
    const page = await open('/hosts/change?do=take-down&rack=Rack+b2', { width: 360 })
    await page.getByRole('alert').filter({ hasText: 'No: 8 of 60 servers' }).waitFor()
    const sideways = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(await sideways()).toBe(0)
    await expectAccessible(page)
  })

  test('is not for members, who are told so', async () => {
    const page = await open('/hosts/change?do=disable&hosts=gp-a1-01', { token: 'bob:shop:member' })
    await page.getByText('No host is chosen').waitFor()
  })
})

describe('a table as a file', () => {
  test('has all rows in order, as CSV and as JSON', async () => {
    const page = await open('/?as=table&sort=-share')
    const grid = page.getByRole('grid', { name: 'Hosts' })
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('61')
    const [name, csv] = await saved(page, 'Export Hosts as CSV')
    expect(name).toBe('hosts.csv')
    const lines = csv.trimEnd().split('\r\n')
    expect(lines).toHaveLength(61)
    expect(lines[0]).toMatch(/^"Host","Group","In use"/)
    expect(lines[1]).toMatch(/^"gp-a1-03","Zone a",1\.0\d+/)
    const [, json] = await saved(page, 'Export Hosts as JSON')
    const { table, cut, rows } = JSON.parse(json)
    expect([table, cut, rows.length, rows[0].name]).toEqual(['Hosts', null, 60, 'gp-a1-03'])
    await page.getByText('60 rows in hosts.json').waitFor()
    await expectAccessible(page)
  })

  test('no name in it is a formula', async () => {
    await server.ask('POST', '/compute/v2.1/flavors', {
      flavor: { name: '=HYPERLINK(1)', vcpus: 1, ram: 64, disk: 0 },
    })
    const page = await open('/flavors')
    await page.getByRole('link', { name: '=HYPERLINK(1)' }).waitFor()
    const [, csv] = await saved(page, 'Export Flavors as CSV')
    expect(csv).toContain(`"'=HYPERLINK(1)"`)
  })
})
