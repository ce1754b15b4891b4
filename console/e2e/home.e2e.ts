import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { open } = stage('--demo', '--auth', 'noauth2')

describe('the home of a member', () => {
  test('has servers, shares with their hints by name, and what fits; rows lead to pages', async () => {
    const page = await open('/', { token: 'alice:shop:member,reader' })
    await page.getByRole('heading', { name: 'Project shop', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    const shares = page.getByRole('region', { name: 'Shares' })
    await expect.poll(() => textOf(shares)).toContain('near shop-web, away from shop-db-2')
    await expectAccessible(page)
    await page.getByRole('grid', { name: 'Servers' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Server', level: 1 }).waitFor()
    await page.getByText('active', { exact: true }).waitFor()
    await expectAccessible(page)
  })

  test('fits a narrow screen', async () => {
    const page = await open('/', { token: 'alice:shop:member,reader', width: 360 })
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
