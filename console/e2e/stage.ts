/** A real server with the demo cloud, and a browser that looks at it. Nothing is mocked. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openBrowser, signInAs } from './browser.ts'
import { Server } from './server.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Stage {
  readonly server: Server
  readonly browser: Browser
  /** A page in a session of its own, signed in unless the token is null. */
  open(path: string, options?: OpenOptions): Promise<Page>
}

interface OpenOptions {
  readonly token?: string | null
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  /** For several tests; else it is closed after the test that opened it. */
  readonly stays?: boolean
}

/** For servers that need something else to run before them. */
interface LateFlags {
  flags(): Promise<readonly string[]>
  readonly env: Readonly<Record<string, string>>
}

/** For all tests of a file. Pages that say something on their console fail the test that opened them. */
export function stage(...flags: readonly string[] | readonly [LateFlags]): Stage {
  const [late] = flags
  const server = typeof late === 'object' ? new Server() : new Server(...(flags as readonly string[]))
  let browser: Browser
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    browser = await openBrowser()
    if (typeof late === 'object') {
      server.flags = await late.flags()
      server.env = late.env
    }
    await server.start()
  })
  // A page that nobody looks at any more still follows the changes, and takes time from the next.
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(context => context.close()))
  })
  afterAll(async () => {
    await browser.close()
    await server.end()
    expect(complaints).toEqual([])
  })
  return {
    server,
    get browser() {
      return browser
    },
    async open(path, { token = 'admin', scheme = 'light', width = 1360, stays = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      if (!stays) contexts.push(context)
      // As for what is polled: see vitest.config.ts.
      context.setDefaultTimeout(30_000)
      const page = await context.newPage()
      page.on('pageerror', error => complaints.push(`${path}: ${error.message}`))
      page.on('console', message => {
        // What the browser itself says of requests that were refused or lost is what some tests are about.
        if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
          complaints.push(`${path}: ${message.text()}`)
      })
      if (token !== null) await signInAs(page, server.url, token)
      await page.goto(`${server.url}${path}`)
      // The code of a view comes after the frame around it.
      if (token !== null) await page.getByRole('heading', { level: 1 }).first().waitFor()
      return page
    },
  }
}

/**
 * Accessible, by the rules of axe, as the page is once nothing fades in or out any more. What a control says while
 * the pointer or the focus is on it lies outside of the page's landmarks, and comes and goes: it is not shown to axe.
 * Excluding it is not enough, because axe then blames the empty element around it.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter(one => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(passing.map(one => one.finished))
  })
  await page.evaluate(axeSource)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: Violation[] }> }
    }
    type Violation = { id: string; nodes: { html: string; failureSummary: string }[] }
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('[role=tooltip] { display: none !important }')
    const { adoptedStyleSheets } = document
    document.adoptedStyleSheets = [...adoptedStyleSheets, sheet]
    const found = await axe.run().finally(() => {
      document.adoptedStyleSheets = adoptedStyleSheets
    })
    return found.violations.map(
      ({ id, nodes }) =>
        `${id}, ${nodes.length} times: ${nodes
          .slice(0, 3)
          .map(node => `${node.html.slice(0, 200)} ${node.failureSummary}`)
          .join('\n  ')}`,
    )
  })
  expect(violations).toEqual([])
}

/** One of several, as with the keyboard: the radio buttons of a switch are not where they are seen. */
export async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name, exact: true }).focus()
  await page.keyboard.press('Space')
}

/** Waits until it is there, and gives its text. */
export async function textOf(locator: Locator): Promise<string> {
  await locator.waitFor()
  return (await locator.textContent()) ?? ''
}
