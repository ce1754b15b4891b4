/** How far it is from a question to its answer: clicks are counted and hold; seconds are only printed. */
import type { Locator } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

class Walk {
  clicks = 0
  readonly #story: string
  readonly #beganMs = performance.now()

  constructor(story: string) {
    this.#story = story
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  print(): void {
    const seconds = ((performance.now() - this.#beganMs) / 1000).toFixed(1)
    process.stdout.write(`${this.#story}: ${this.clicks} clicks, ${seconds} s\n`)
  }
}

let walk: Walk | null = null
afterEach(() => {
  walk?.print()
  walk = null
})

const refuse = async (instance: string): Promise<void> => {
  const answer = await fetch(`${server.url}/v1/schedule`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({ flavor: 'v1.vault', instances: [instance] }),
  })
  expect(answer.status).toBe(409)
}

describe('stories', () => {
  test('what is wrong right now: no click, and one to the remedy', async () => {
    const page = await open('/')
    walk = new Walk('what is wrong right now')
    const findings = page.getByRole('region', { name: 'Attention' }).getByRole('listitem')
    await expect.poll(() => textOf(findings.first())).toMatch(/^Critical: /)
    expect(walk.clicks).toBe(0)
    await walk.click(page.getByRole('link', { name: '1 flavor fits on no host' }))
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    await expect.poll(() => textOf(changes)).toContain('Set certification=pci-dss')
    expect(walk.clicks).toBe(1)
  })

  test('why was a server refused: the search and one click', async () => {
    const instance = '5e7a1c3f-93d4-4c55-8a7e-1d2e3f4a5b6c'
    await refuse(instance)
    const page = await open('/')
    walk = new Walk('why was server X refused an hour ago')
    await walk.click(page.getByRole('button', { name: /^Find a server/ }))
    await page.getByRole('combobox', { name: /^Find a server/ }).fill(instance)
    await walk.click(page.getByRole('option', { name: /refused v1\.vault/ }))
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'Outcome' })))
      .toMatch(/No host fits: 5\d hosts have room; .*AggregateInstanceTypeFilter removed/)
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Changes that would help' })))
      .toContain('Set certification=pci-dss in the flavor: 8 hosts would do.')
    expect(walk.clicks).toBe(2)
    await expectAccessible(page)
  })

  test('the same without a uuid: from the list of what is wrong', async () => {
    await refuse('5e7a1c3f-93d4-4c55-8a7e-1d2e3f4a5b6d')
    const page = await open('/')
    walk = new Walk('why was something refused in the last hour')
    const refused = page.getByRole('link', { name: /refused in the last hour/ })
    // The server looks for refusals every few seconds only, and so does the page.
    await refused.waitFor({ timeout: 30_000 })
    await walk.click(refused)
    await walk.click(page.getByRole('grid', { name: 'Decisions' }).getByRole('link').first())
    await page.getByRole('region', { name: 'Outcome' }).waitFor()
    expect(walk.clicks).toBe(2)
  })
})
