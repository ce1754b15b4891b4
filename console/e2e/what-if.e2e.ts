import { describe, expect, test } from 'vitest'
import { eventually, expectAccessible, stage, textOf } from './stage.ts'

const { open } = stage('--demo', '--auth', 'noauth2')

describe('what if', () => {
  test('says how many more fit, by zone and host, and what ends it', async () => {
    const page = await open('/what-if')
    await page.getByRole('heading', { name: 'How many of what?' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Flavor' }).fill('m1.small')
    await page.getByRole('option', { name: 'm1.small' }).click()
    await page.getByRole('list', { name: 'Fits by zone' }).getByRole('listitem').first().waitFor()
    expect(await page.getByRole('list', { name: 'Fits by zone' }).getByRole('listitem').count()).toBe(3)
    expect(await textOf(page.getByRole('list', { name: 'What ends it' }))).toMatch(/\d+ hosts?/)
    await expectAccessible(page)
  })

  test('draining a host shows where its servers go, and how many fewer fit', async () => {
    const page = await open('/what-if?flavor=m1.small&drain=gp-a1-01')
    await page.getByRole('img', { name: 'Where servers would go' }).waitFor()
    expect(await textOf(page.getByRole('list', { name: 'Servers and their places' }))).toMatch(
      /servers? of gp-a1-01: to /,
    )
    await expectAccessible(page)
  })

  test('adding hosts makes more fit', async () => {
    const page = await open('/what-if?flavor=m1.large&like=gp-a1-01&count=3')
    const zones = page.getByRole('list', { name: 'Fits by zone' })
    await eventually(async () => expect(await textOf(zones)).toMatch(/\d+ → \d+/))
    const [, before, after] = /(\d+) → (\d+)/.exec(await textOf(zones)) ?? []
    expect(Number(after)).toBeGreaterThan(Number(before))
  })
})
