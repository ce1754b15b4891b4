import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { open } = stage('--demo', '--auth', 'noauth2')

describe('what if', () => {
  test('says how many more fit, by zone and host, and what limits it', async () => {
    const page = await open('/what-if')
    await page.getByRole('heading', { name: 'What fits' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Flavor' }).fill('m1.small')
    await page.getByRole('option', { name: 'm1.small' }).click()
    await page.getByRole('list', { name: 'Fits by zone' }).getByRole('listitem').first().waitFor()
    await expect
      .poll(() => page.getByRole('list', { name: 'Fits by zone' }).getByRole('listitem').count())
      .toBe(3)
    await expect.poll(() => textOf(page.getByRole('list', { name: 'What limits it' }))).toMatch(/\d+ hosts?/)
    await expectAccessible(page)
  })

  test('draining a host shows where its servers go, and how many fewer fit', async () => {
    const page = await open('/what-if?flavor=m1.small&drain=gp-a1-01')
    await page.getByRole('img', { name: 'Where servers would go' }).waitFor()
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Servers and their places' })))
      .toMatch(/servers? of gp-a1-01: to /)
    const hosts = page.getByRole('list', { name: 'Fits by host' })
    await expect.poll(() => textOf(hosts.getByRole('listitem').first())).toMatch(/^gp-a1-01\s*[1-9]\d* → 0$/)
    for (const row of await hosts.getByRole('listitem').allTextContents()) {
      const [, before, after] = /(\d+) → (\d+)$/.exec(row) ?? []
      expect(Number(after), row).toBeLessThanOrEqual(Number(before))
    }
    await page.getByText('hatched: as it is; full: as it would be').first().waitFor()
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'What limits it' })))
      .not.toMatch(/[a-z]\.[a-z]/)
    await expectAccessible(page)
  })

  test('adding hosts makes more fit', async () => {
    const page = await open('/what-if?flavor=m1.large&like=gp-a1-01&count=3')
    const zones = page.getByRole('list', { name: 'Fits by zone' })
    await expect.poll(() => textOf(zones)).toMatch(/\d+ → \d+/)
    const [, before, after] = /(\d+) → (\d+)/.exec(await textOf(zones)) ?? []
    expect(Number(after)).toBeGreaterThan(Number(before))
    const count = page.getByRole('textbox', { name: 'How many' })
    await count.fill('')
    await page.waitForTimeout(300)
    await expect.poll(() => count.inputValue()).toBe('')
    await count.pressSequentially('2')
    await expect.poll(() => count.inputValue()).toBe('2')
    await expect.poll(() => new URL(page.url()).searchParams.get('count')).toBe('2')
  })
})
