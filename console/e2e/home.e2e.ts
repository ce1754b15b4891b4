import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const MEMBER = 'alice:shop:member,reader'

describe('the home of a member', () => {
  test('has servers, shares with their hints by name, and what fits; rows lead to pages', async () => {
    const page = await open('/', { token: MEMBER })
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
    const page = await open('/', { token: MEMBER, width: 360 })
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})

/** What leads from a page to others of the console. */
const linksOf = (page: Page): Promise<string[]> =>
  page.locator('a[href^="/"]').evaluateAll(all => all.map(one => one.getAttribute('href') ?? '/'))

/** Pages of the same kind: ids and queries left out. */
const kindOf = (href: string): string =>
  href
    .replace(/\?.*/, '')
    .split('/')
    .map((part, at) => (at > 1 && /[0-9A-Z:%.-]/.test(part) ? 'ID' : part))
    .join('/')

const isSettled = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'Reading' }).first().waitFor({ state: 'detached' })

describe('what members see', () => {
  /** Of each kind of page so many are looked at. */
  const EACH = 2

  test.each([MEMBER, 'joe:shop:reader'])(
    'every link that %s is shown leads to a page that works',
    async token => {
      const page = await open('/', { token })
      const waiting = ['/']
      const seen = new Map<string, number>()
      const known = new Set(waiting)
      const broken: string[] = []
      for (let href = waiting.shift(); href !== undefined; href = waiting.shift()) {
        await page.goto(server.url + href)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await isSettled(page)
        const text = await textOf(page.getByRole('main'))
        const alerts = await page.getByRole('main').getByRole('alert').allInnerTexts()
        if (
          /You need (the role|one of)|You may not see|Nothing is here|No such/.test(text) ||
          alerts.length > 0
        )
          broken.push(`${href}: ${alerts.join(' ') || text.slice(0, 200)}`)
        for (const next of await linksOf(page)) {
          const count = seen.get(kindOf(next)) ?? 0
          if (known.has(next) || count >= EACH) continue
          seen.set(kindOf(next), count + 1)
          known.add(next)
          waiting.push(next)
        }
      }
      expect(broken).toEqual([])
      for (const kind of ['/servers/ID', '/shares/ID', '/flavors/ID', '/catalog', '/shares'])
        expect([...seen.keys()]).toContain(kind)
    },
    300_000,
  )

  test('pages of admins say which role they need, and lead back', async () => {
    const page = await open('/', { token: MEMBER })
    const pages = [
      ...['users', 'users/x', 'projects', 'projects/shop', 'tokens', 'policy', 'audit'].map(
        one => `/access/${one}`,
      ),
      ...[
        '/providers',
        '/usage',
        '/activity',
        '/candidates',
        '/why',
        '/what-if',
        '/decisions',
        '/aggregates',
      ],
    ]
    for (const path of pages) {
      await page.goto(server.url + path)
      await page.getByRole('heading', { name: /^You need (the role|one of the roles) .*admin/ }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    }
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to what you may see' }).click()
    await page.getByRole('heading', { name: 'Project shop', level: 1 }).waitFor()
  })

  test('the search and the keys lead nowhere else', async () => {
    const page = await open('/flavors', { token: MEMBER })
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard' })
    await expect.poll(() => textOf(keys)).toContain('Go to Catalog')
    expect(await textOf(keys)).not.toMatch(/Go to (Users|Decisions|Providers)/)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('option', { name: 'Home page' }).waitFor()
    expect(await page.getByRole('option').allInnerTexts()).not.toContain('Users page')
    const offered = (await page.getByRole('option').allInnerTexts()).join('\n')
    expect(offered).not.toMatch(/Users|Audit|Decisions|disabled hosts|Explain why/)
  })
})
