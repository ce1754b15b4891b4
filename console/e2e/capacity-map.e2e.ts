import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { choose, expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const uuidOf = async (name: string): Promise<string> => {
  type Found = { resource_providers: { uuid: string }[] }
  const found = await server.ask<Found>('GET', `/placement/resource_providers?name=${name}`)
  return found.resource_providers[0]?.uuid as string
}

describe('the capacity map', () => {
  test('shows every host by zone, coloured by the class that runs out first, with totals', async () => {
    const page = await open('/')
    await page.getByRole('region', { name: 'Zone c' }).waitFor()
    for (const zone of ['Zone a', 'Zone b', 'Zone c'])
      await expect.poll(() => page.getByRole('region', { name: zone }).getByRole('link').count()).toBe(20)
    const memory = page.getByRole('button', { name: /^Memory/ })
    await expect.poll(() => memory.getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => memory.textContent()).toMatch(/64%.*15\.5 TiB of 24\.2 TiB.*free.*reserved/)
    await page.getByRole('link', { name: /^gp-a1-03 107% of MEMORY_MB.*over capacity/ }).waitFor()
    await expectAccessible(page)
  })

  test('keeps class, group and marks in the address', async () => {
    const page = await open('/')
    await page.getByRole('button', { name: /^VCPU/ }).click()
    await choose(page, 'Rack')
    await page.getByRole('region', { name: 'Rack c1' }).waitFor()
    await page.getByRole('button', { name: /^disabled/ }).click()
    await page.getByRole('link', { name: /^gp-c1-06 off 25% of VCPU.*disabled/ }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: /^Rack/ }).count()).toBe(1)
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ class: 'VCPU', by: 'rack', mark: 'disabled' })
    await page.reload()
    await page.getByRole('link', { name: /^gp-c1-06/ }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: /^Rack/ }).count()).toBe(1)
  })

  test('a click on a group shows it alone; a name filters; hovering tells', async () => {
    const page = await open('/')
    await page.getByRole('button', { name: 'Zone b', exact: true }).click()
    await page.getByRole('button', { name: /Only Zone b/ }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Zone a' }).count()).toBe(0)
    await page.getByRole('textbox', { name: 'Filter hosts by name' }).fill('gpu')
    await expect.poll(() => page.getByRole('region', { name: 'Zone b' }).getByRole('link').count()).toBe(2)
    await page.getByRole('link', { name: /^gpu-b2-01/ }).hover()
    await page.getByRole('heading', { name: 'gpu-b2-01', includeHidden: true }).waitFor()
  })

  test('arrow keys go from tile to tile, Enter opens the host', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: /^gp-a1-01/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gp-a1-02', level: 1 }).waitFor()
  })

  test('dense: a canvas with a cursor that is read out', async () => {
    const page = await open('/?as=dense&by=none')
    const widget = page.getByRole('application', { name: /^Hosts of All hosts/ })
    await widget.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => widget.textContent()).toMatch(/gp-a1-02, 48%, has room/)
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gp-a1-02', level: 1 }).waitFor()
  })

  test('as a table it can be sorted, and walked through with the keyboard', async () => {
    const page = await open('/?as=table')
    const grid = page.getByRole('grid', { name: 'Hosts' })
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('61')
    await page.getByRole('button', { name: 'In use' }).click()
    await page.getByRole('button', { name: /^In use/ }).click()
    const first = grid.getByRole('row').nth(1)
    await expect.poll(() => textOf(first)).toContain('gp-a1-03')
    await expectAccessible(page)
    await first.focus()
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.ariaRowIndex === '61')
    // Quicker than any row is drawn.
    await page.evaluate(() => {
      for (const key of ['Home', 'Enter'])
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    })
    await page.getByRole('heading', { name: 'gp-a1-03', level: 1 }).waitFor()
  })

  test('is live: a claim that somebody else makes is seen at once', async () => {
    const page = await open('/?class=VCPU')
    await page.getByRole('link', { name: /^gp-b1-02 0% of VCPU/ }).waitFor()
    const provider = await uuidOf('gp-b1-02')
    await server.ask('PUT', `/placement/allocations/${randomUUID()}`, {
      allocations: { [provider]: { resources: { VCPU: 48 } } },
      project_id: 'shop',
      user_id: 'alice',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    })
    await page.getByRole('link', { name: /^gp-b1-02 25% of VCPU, 48 of 192/ }).waitFor()
  })

  test('a lost connection is said, what was there stays, and it comes back by itself', async () => {
    const page = await open('/?class=VCPU')
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await server.stop()
    await page.getByRole('status').filter({ hasText: 'The connection to the server is lost' }).waitFor()
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await expectAccessible(page)
    await server.start()
    const lost = page.getByRole('status').filter({ hasText: 'is lost' })
    await expect.poll(() => lost.count()).toBe(0)
    const provider = await uuidOf('hm-a3-03')
    await server.ask('PUT', `/placement/resource_providers/${provider}`, { name: 'hm-a3-03-renamed' })
    await page.getByRole('link', { name: /^hm-a3-03-renamed/ }).waitFor()
  })
})

describe('racks', () => {
  test('are one cell each, the worst first in every zone; a click shows the hosts, and Back the racks', async () => {
    const page = await open('/?as=racks')
    const names = async (zone: string) =>
      (
        await page
          .getByRole('region', { name: zone })
          .getByRole('link')
          .evaluateAll(all => all.map(one => /^Rack \w+/.exec(one.ariaLabel ?? '')?.[0]))
      ).join(' ')
    await expect.poll(() => names('Zone a')).toMatch(/^Rack a1 Rack a\d Rack a\d$/)
    await expect.poll(() => names('Zone b')).toMatch(/^Rack b2 /)
    await expectAccessible(page)
    await page.getByRole('link', { name: /^Rack b2 98% of MEMORY_MB, 5 hosts/ }).click()
    await page.getByRole('heading', { name: 'Rack b2', level: 2 }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Rack b2' }).getByRole('link').count()).toBe(5)
    await expectAccessible(page)
    await page.goBack()
    await page.getByRole('link', { name: /^Rack a2/ }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?as=racks')
  })

  test('are walked through by arrow keys; Enter zooms, and the focus is at the rack', async () => {
    const page = await open('/?as=racks&by=rack')
    await page.getByRole('link', { name: /^Rack/ }).first().focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home', 'ArrowRight'])
      await page.keyboard.press(key)
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    const [rack = ''] = /^Rack \w+/.exec(await focused()) ?? []
    expect(rack).toMatch(/^Rack /)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: rack, level: 2 }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(rack)
  })

  test('at 360 pixels the worst hosts are at the top, and more come on demand', async () => {
    const page = await open('/', { width: 360 })
    const rows = page.getByRole('list', { name: 'Hosts, the worst first' }).getByRole('listitem')
    await expect.poll(() => rows.first().innerText()).toMatch(/gp-a1-03[\s\S]*over capacity/)
    expect((await rows.first().boundingBox())?.y).toBeLessThan(450)
    await expect.poll(() => rows.count()).toBe(8)
    await page.getByRole('button', { name: 'Show 20 more' }).click()
    await expect.poll(() => rows.count()).toBe(28)
    await page.getByText('Filter, group, choose').click()
    await choose(page, 'Racks')
    await page.getByRole('link', { name: /^Rack b2/ }).waitFor()
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0)
    await expectAccessible(page)
  })
})
