import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

describe('what needs attention', () => {
  test('stands above the map, the worst first, each with a link that leads to the remedy', async () => {
    const page = await open('/')
    const block = page.getByRole('region', { name: 'Attention' })
    const findings = block.getByRole('listitem')
    await expect
      .poll(() => textOf(findings.first()))
      .toMatch(/^Critical: 1 inventory is used beyond capacity/)
    expect(await textOf(findings.nth(1))).toContain('ceph-c: 60 of 38000 DISK_GB left; 14 hosts depend on it')
    await expectAccessible(page)
    await block.getByRole('link', { name: '1 flavor fits on no host' }).click()
    await page.getByRole('heading', { name: 'Why no host', level: 1 }).waitFor()
    expect(new URL(page.url()).searchParams.get('flavor')).toBe('v1.vault')
  })

  test('with the keyboard: the rest is opened, its items are links, a command is copied', async () => {
    const page = await open('/')
    const block = page.getByRole('region', { name: 'Attention' })
    await block.getByRole('button', { name: /^Show \d+ more/ }).focus()
    await page.keyboard.press('Enter')
    await block.getByRole('button', { name: /^All 14 of: 14 keys or values/ }).focus()
    await page.keyboard.press('Enter')
    await block.getByRole('link', { name: 'flavor r1.large' }).first().waitFor()
    await expectAccessible(page)
    await block.getByRole('button', { name: 'berth explain schedule v1.vault' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('berth explain schedule v1.vault')
  })

  test('what goes wrong appears without a reload', async () => {
    const page = await open('/')
    const block = page.getByRole('region', { name: 'Attention' })
    await block.getByRole('listitem').first().waitFor()
    await server.ask('PUT', '/v1/hosts/gp-a2-02', { forced_down: true })
    await block.getByRole('link', { name: '1 host is down' }).waitFor()
    await server.ask('PUT', '/v1/hosts/gp-a2-02', { forced_down: false })
    await block.getByRole('link', { name: '1 host is down' }).waitFor({ state: 'detached' })
  })

  test('at 360 pixels one line counts it above the hosts, and opens', async () => {
    const page = await open('/', { width: 360 })
    const block = page.getByRole('region', { name: 'Attention' })
    const line = block.locator('summary')
    await expect.poll(() => textOf(line)).toMatch(/^ *2 critical, \d warnings?, \d notes?$/)
    await expect
      .poll(async () => (await line.boundingBox())?.y)
      .toBeLessThan((await page.getByRole('list', { name: 'Hosts, the worst first' }).boundingBox())?.y ?? 0)
    await line.focus()
    await page.keyboard.press('Enter')
    await block.getByRole('link', { name: '1 flavor fits on no host' }).waitFor()
    await block.getByRole('button', { name: 'berth explain schedule v1.vault' }).waitFor()
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0)
    await expectAccessible(page)
  })

  test('a member of a project has no such block', async () => {
    const page = await open('/', { token: 'joe:shop:member,reader' })
    await page.getByRole('heading', { name: 'Project shop' }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'Attention' }).count()).toBe(0)
  })
})

describe('a cloud without hosts', () => {
  const empty = stage('--auth', 'noauth2')

  test('says that nothing needs attention, and what does', async () => {
    const page = await empty.open('/')
    const block = page.getByRole('region', { name: 'Attention' })
    await expect.poll(() => textOf(block)).toMatch(/^Nothing needs attention: \d+ checks found nothing\.$/)
    await page.getByRole('heading', { name: 'No host yet' }).waitFor()
    await expectAccessible(page)
    const token = { name: 'backup', roles: ['reader'], token_sha256: 'a'.repeat(64), expires_in_s: 86_400 }
    await empty.server.ask('POST', '/v1/tokens', token)
    await expect.poll(() => textOf(block)).toContain('1 token or credential ends within 14 days')
  })
})

describe('what fits', () => {
  test.each(['/why', '/what-if'])(
    '%s without a flavor shows all of them by zone, each number a link',
    async path => {
      const page = await open(path)
      const grid = page.getByRole('grid', { name: 'What fits' })
      await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('14')
      await expect
        .poll(() => textOf(grid.getByRole('row').nth(1)))
        .toMatch(/v1\.vault.*certification differs/)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Flavor', exact: true }).click()
      await expect.poll(() => textOf(grid.getByRole('row').nth(1))).toContain('b1.large')
      await grid.getByRole('link', { name: 'm1.large in b: 18' }).click()
      await expect
        .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
        .toMatchObject({ flavor: 'm1.large', zone: 'b' })
    },
  )

  test('rows are walked through with the keyboard, Enter asks about the flavor', async () => {
    const page = await open('/why')
    const grid = page.getByRole('grid', { name: 'What fits' })
    await grid.getByRole('row').nth(1).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('flavor')).toBe('g1.whole')
  })
})
