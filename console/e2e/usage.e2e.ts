import { describe, expect, test } from 'vitest'
import { choose, expectAccessible, stage } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

describe('usage over time', () => {
  test('cards have the course of a day, and the page a chart and a table for each class', async () => {
    const page = await open('/')
    const memory = page
      .getByRole('group', { name: 'Resource classes' })
      .getByRole('button', { name: /^Memory/ })
    await expect.poll(() => memory.locator('svg path').getAttribute('d')).toMatch(/^M[\d.]+ [\d.]+L/)
    await expectAccessible(page)

    await page.getByRole('link', { name: 'Usage over time' }).click()
    await page.getByRole('heading', { name: 'Usage over time', level: 1 }).waitFor()
    const chart = page.getByRole('img', {
      name: /^Memory of the cloud, the last day: from .* to .*, capacity/,
    })
    await chart.waitFor()
    await page.getByText('is made up.').first().waitFor()
    await page.getByText('As a table of Memory').click()
    await expect.poll(() => page.getByRole('table').first().getByRole('row').count()).toBeGreaterThan(10)
    await page.getByText(/^MEMORY_MB of zone b ends in \d+ to \d+ days$/).waitFor()
    await expectAccessible(page)
  })

  test('what is chosen is in the address', async () => {
    const page = await open('/usage')
    await choose(page, 'year')
    await expect.poll(() => new URL(page.url()).searchParams.get('span')).toBe('year')
    await page.getByRole('combobox', { name: 'Of which zone or aggregate' }).click()
    await page.getByRole('option', { name: 'Zone b' }).first().click()
    await page.getByRole('img', { name: /^Memory of zone b, the last year/ }).waitFor()
    await expectAccessible(page)
  })

  test('a host and an aggregate have theirs on their pages', async () => {
    const { hosts } = await server.ask<{ hosts: { name: string; uuid: string }[] }>(
      'GET',
      '/v1/hosts?limit=1',
    )
    const page = await open(`/providers/${hosts[0]?.uuid}`)
    await page.getByRole('img', { name: /^Tightest class of .*, the last day: from \d+% to/ }).waitFor()
    await expectAccessible(page)
  })

  test('an aggregate has a chart for each class', async () => {
    const { aggregates } = await server.ask<{ aggregates: { id: number; hosts: string[] }[] }>(
      'GET',
      '/compute/v2.1/os-aggregates',
    )
    const page = await open(`/aggregates/${aggregates.find(one => one.hosts.length > 0)?.id}`)
    await page.getByRole('img', { name: /^Memory of / }).waitFor()
    await expectAccessible(page)
  })

  test('it fits a narrow screen, also in the dark', async () => {
    const page = await open('/usage?zone=b', { width: 360, scheme: 'dark' })
    await page.getByRole('img', { name: /^Memory of zone b/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await expectAccessible(page)
  })
})

describe('activity', () => {
  test('a change appears by itself, in words, with a link; older ones follow on demand', async () => {
    const page = await open('/activity')
    const feed = page.getByRole('list').filter({ has: page.getByRole('time') })
    await feed.getByRole('listitem').first().waitFor()
    await server.ask('PUT', '/v1/hosts/gp-a1-01', { disabled_reason: 'new disks' })
    const entry = feed.getByRole('listitem').filter({ hasText: 'host gp-a1-01 disabled: new disks' })
    await entry.waitFor()
    expect(await entry.innerText()).toContain('admin')
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Only changes with this in their words' }).fill('new disks')
    await expect.poll(() => feed.getByRole('listitem').count()).toBe(1)
    await entry.getByRole('link', { name: 'gp-a1-01' }).click()
    await page.getByRole('heading', { name: 'gp-a1-01' }).waitFor()
  })

  test('it fits a narrow screen', async () => {
    const page = await open('/activity', { width: 360, scheme: 'dark' })
    await page.getByRole('button', { name: 'Show older' }).click()
    await expect.poll(() => page.getByRole('listitem').count()).toBeGreaterThan(60)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await expectAccessible(page)
  })
})
