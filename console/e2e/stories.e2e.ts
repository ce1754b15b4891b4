/**
 * How far it is from a question to its answer, with a fresh profile: clicks are counted and hold, the one that signs in is the first;
 * seconds run from that click and are only printed.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { countText } from '../../src/kernel/count-text.ts'
import type { Attention } from '../../src/wire/attention.ts'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo')

let token = ''
beforeAll(async () => {
  token = await signInByPassword()
})

let walk: Walk | null = null
afterEach(() => {
  walk?.print()
  walk = null
})

class Walk {
  clicks = 0
  readonly #story: string
  #beganMs: number | null = null

  constructor(story: string) {
    this.#story = story
  }

  async click(target: Locator): Promise<void> {
    this.#beganMs ??= performance.now()
    this.clicks++
    await target.click()
  }

  print(): void {
    const seconds = ((performance.now() - (this.#beganMs ?? 0)) / 1000).toFixed(1)
    process.stdout.write(`${this.#story}: ${countText(this.clicks, 'click')}, ${seconds} s\n`)
  }
}

async function signInByPassword(): Promise<string> {
  const user = { name: 'admin', domain: { name: 'Default' }, password: server.adminPassword }
  const answer = await fetch(`${server.url}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: { name: 'admin', domain: { name: 'Default' } } },
      },
    }),
  })
  return answer.headers.get('x-subject-token') as string
}

async function refuse(instance: string, name: string): Promise<void> {
  const answer = await fetch(`${server.url}/v1/schedule`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ flavor: 'v1.vault', instances: [instance], names: [name] }),
  })
  expect(answer.status).toBe(409)
}

/** The server looks for refusals every few seconds at most: this one was a while ago. */
async function becomesKnown(code: string): Promise<void> {
  const codes = async () =>
    (await server.ask<Attention>('GET', '/v1/attention', undefined, token)).findings.map(one => one.code)
  await expect.poll(codes, { interval: 500 }).toContain(code)
}

/** As if all decisions had been made earlier. */
async function backdate(ms: number): Promise<void> {
  await server.stop()
  const database = new DatabaseSync(join(server.directory, 'berth-data/berth.sqlite'))
  for (const table of ['decisions', 'decision_servers'])
    database.exec(`UPDATE ${table} SET at_ms = at_ms - ${ms}`)
  database.close()
  await server.start()
}

/** A browser that was never here signs in. */
async function begin(story: string): Promise<{ readonly page: Page; readonly walk: Walk }> {
  const page = await open('/', { token: null })
  await page.getByRole('textbox', { name: 'User' }).fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
  walk = new Walk(story)
  await walk.click(page.getByRole('button', { name: 'Sign in' }))
  return { page, walk }
}

const search = (page: Page) => page.getByRole('combobox', { name: /^Find a server/ })

describe('stories', () => {
  test('what is wrong right now: signed in, it is there; one click to a remedy', async () => {
    const { page, walk } = await begin('what is wrong right now')
    const findings = page.getByRole('region', { name: 'Attention' }).getByRole('listitem')
    await expect.poll(() => textOf(findings.first())).toMatch(/^Critical: /)
    expect(walk.clicks).toBe(1)
    walk.print()
    await walk.click(page.getByRole('link', { name: '1 flavor fits on no host' }))
    const changes = page.getByRole('list', { name: 'Changes that would help' }).first()
    await expect.poll(() => textOf(changes)).toContain('Set certification=pci-dss')
    expect(walk.clicks).toBe(2)
  })

  test('why was a server refused an hour ago: the search and one click', async () => {
    const instance = '5e7a1c3f-93d4-4c55-8a7e-1d2e3f4a5b6c'
    await refuse(instance, 'ledger-7')
    await backdate(61 * 60_000)
    const { page, walk } = await begin('why was server X refused an hour ago')
    await walk.click(page.getByRole('button', { name: /^Find a server/ }))
    await search(page).fill(instance)
    await walk.click(page.getByRole('option', { name: /refused v1\.vault/ }))
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'Outcome' })))
      .toMatch(/No host fits: 5\d hosts have room; .*AggregateInstanceTypeFilter removed/)
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Changes that would help' })))
      .toContain('Set certification=pci-dss in the flavor: 8 hosts would do.')
    expect(walk.clicks).toBe(3)
    await expectAccessible(page)
  })

  test('the same by its name: one click more', async () => {
    await refuse('5e7a1c3f-93d4-4c55-8a7e-1d2e3f4a5b6e', 'ledger-8')
    const { page, walk } = await begin('why was the server of this name refused')
    await walk.click(page.getByRole('button', { name: /^Find a server/ }))
    await search(page).fill('ledger-8')
    await walk.click(page.getByRole('option', { name: 'Decisions with “ledger-8”' }))
    await walk.click(
      page.getByRole('grid', { name: 'Decisions' }).getByRole('row').nth(1).getByRole('link').first(),
    )
    await expect
      .poll(() => textOf(page.getByRole('region', { name: 'Outcome' })))
      .toMatch(/No host fits: 5\d hosts have room/)
    expect(walk.clicks).toBe(4)
  })

  test('the same without either: from the list of what is wrong', async () => {
    await refuse('5e7a1c3f-93d4-4c55-8a7e-1d2e3f4a5b6d', 'ledger-9')
    await becomesKnown('decision.refused')
    const { page, walk } = await begin('why was something refused in the last hour')
    await walk.click(page.getByRole('link', { name: /refused in the last hour/ }))
    await walk.click(page.getByRole('grid', { name: 'Decisions' }).getByRole('link').first())
    await page.getByRole('region', { name: 'Outcome' }).waitFor()
    expect(walk.clicks).toBe(3)
  })

  test('can rack b2 be taken down tonight: the search and one click', async () => {
    const { page, walk } = await begin('can I take rack b2 down tonight')
    await walk.click(page.getByRole('button', { name: /^Find a server/ }))
    await search(page).fill('rack b2')
    await walk.click(page.getByRole('option', { name: 'Can Rack b2 be taken down?' }))
    await page.getByRole('alert').filter({ hasText: 'No: 8 of 60 servers find no other place.' }).waitFor()
    expect(walk.clicks).toBe(3)
    walk.print()
    const stuck = page.getByRole('grid', { name: 'Servers without a place' })
    await expect.poll(() => textOf(stuck.getByRole('row').nth(1))).toMatch(/gpu-b2-0\d.*No host fits/)
    await expectAccessible(page)
  })
})
