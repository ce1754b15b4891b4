import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

type Scheduled = { decision: string; placed: { instance: string; host: string }[] }
const schedule = (flavor: string) => server.ask<Scheduled>('POST', '/v1/schedule', { flavor })

/** It answers 409, which is what is wanted. */
const refuse = (flavor: string) =>
  fetch(`${server.url}/v1/schedule`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({ flavor }),
  })

describe('decisions', () => {
  test('a refused request appears in the list by itself, and its page says why and what would help', async () => {
    const page = await open('/decisions')
    await refuse('v1.vault')
    const grid = page.getByRole('grid', { name: 'Decisions' })
    await expect.poll(() => textOf(grid.getByRole('row').nth(1))).toContain('v1.vault')
    await expectAccessible(page)
    await grid.getByRole('row').nth(1).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Decision', level: 1 }).waitFor()
    await page.getByRole('list', { name: 'Funnel of hosts' }).waitFor()
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'The same now' })))
      .toContain('No host would take it now either')
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Changes that would help' })))
      .toContain('pci-dss')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Explain now' }).click()
    await page.getByRole('heading', { name: 'Why no host', level: 1 }).waitFor()
    expect(new URL(page.url()).searchParams.get('flavor')).toBe('v1.vault')
  })

  test('a placed one shows what each weigher gave, and by how much the host was ahead', async () => {
    const { decision, placed } = await schedule('m1.small')
    const page = await open(`/decisions/${decision}`)
    const scores = page.getByRole('region', { name: 'Best hosts, by weight' })
    await expect.poll(() => textOf(scores)).toMatch(/was ahead of .* by 0\.\d{3}|had the same weight/)
    const best = scores.getByRole('list', { name: 'Hosts by weight' }).getByRole('listitem').first()
    await expect.poll(() => textOf(best)).toContain(placed[0]?.host as string)
    await expect.poll(() => textOf(best)).toMatch(/chosen.*RAMWeigher/)
    await expectAccessible(page)
  })

  test('the list is filtered by text and kind, which stay in the address', async () => {
    const { placed } = await schedule('m1.medium')
    const page = await open('/decisions')
    const grid = page.getByRole('grid', { name: 'Decisions' })
    await page.getByRole('textbox', { name: /^Find by server/ }).fill(placed[0]?.instance as string)
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('2')
    await page.getByRole('textbox', { name: /^Find by server/ }).fill('no such thing')
    await page.getByRole('heading', { name: 'No decision is like this' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'No decision is like this' }).waitFor()
    await expectAccessible(page)
  })

  test('a phone shows list and decision without scrolling sideways', async () => {
    await refuse('v1.vault')
    const page = await open('/decisions?flavor=v1.vault', { width: 360 })
    await page.getByRole('grid', { name: 'Decisions' }).getByRole('link').first().click()
    await page.getByRole('region', { name: 'What changed since' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await expectAccessible(page)
  })

  test('what changed since is told host by host', async () => {
    await refuse('v1.vault')
    const [{ id } = { id: '' }] = (
      await server.ask<{ decisions: { id: string }[] }>('GET', '/v1/decisions?flavor=v1.vault&limit=1')
    ).decisions
    await server.ask('PUT', '/v1/hosts/gp-a2-02', { forced_down: true })
    const page = await open(`/decisions/${id}`)
    const since = page.getByRole('region', { name: 'What changed since' })
    await since.getByRole('button', { name: 'Compare' }).click()
    await expect.poll(() => textOf(since.getByRole('row').nth(1))).toContain('gp-a2-02')
    await expectAccessible(page)
    await server.ask('PUT', '/v1/hosts/gp-a2-02', { forced_down: false })
  })
})
