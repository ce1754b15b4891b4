import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { signInAs } from './browser.ts'
import { expectAccessible, stage } from './stage.ts'

const theStage = stage('--demo', '--auth', 'noauth2')
const { server, open } = theStage

const GPU_HOST = '/providers/6241b3d2-1428-50f4-aba5-a65e083305d1'

const focused = (page: Page) =>
  page.evaluate(() => {
    const { tagName = '', textContent } = document.activeElement ?? {}
    return `${tagName.toLowerCase()} ${textContent}`
  })

describe('the focus', () => {
  test('goes to the heading of the page that was gone to, and nowhere when the page is opened', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await expect.poll(() => focused(page)).toMatch(/^body/)
    await page.getByRole('link', { name: 'Flavors' }).click()
    await expect.poll(() => focused(page)).toBe('h1 Flavors')
    await page.getByRole('link', { name: 'm1.small' }).click()
    await expect.poll(() => focused(page)).toBe('h1 m1.small')
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: /^Find a server/ }).fill('gpu-c2-02')
    await page.getByRole('option', { name: /^gpu-c2-02 root provider/ }).click()
    await expect.poll(() => focused(page)).toBe('h1 gpu-c2-02')
  })

  test('stays in a tree that is walked through; where one is, is said', async () => {
    const page = await open(GPU_HOST)
    const tree = page.getByRole('tree', { name: 'Tree of gpu-c2-02' })
    await tree.getByRole('treeitem', { selected: true }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gpu-c2-02_numa0', level: 1 }).waitFor()
    await expect.poll(() => focused(page)).toMatch(/^div gpu-c2-02_?numa0/)
    await page.locator('[aria-live=polite]').filter({ hasText: 'gpu-c2-02_numa0' }).waitFor({
      state: 'attached',
    })
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).not.toMatch(/^body/)
  })

  test('a tree can be entered though what is selected is inside something closed', async () => {
    const page = await open(GPU_HOST)
    const tree = page.getByRole('tree', { name: 'Tree of gpu-c2-02' })
    await tree.getByRole('treeitem').nth(2).click()
    await page.getByRole('heading', { name: /^gpu-c2-02_numa0_/, level: 1 }).waitFor()
    await tree.getByRole('treeitem').first().locator('span').first().click()
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1)
    await expect.poll(() => tree.getByRole('treeitem').first().getAttribute('tabindex')).toBe('0')
  })
})

describe('the finder', () => {
  test('takes every key that is typed while its code is on the way, and none of them as a shortcut', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    const code = Promise.withResolvers<void>()
    await page.route(/\/assets\/finder-.*\.js$/, async route => {
      await code.promise
      await route.continue()
    })
    await page.keyboard.press('/')
    // Elsewhere g and p lead to the providers.
    await page.keyboard.type('gpu-c2-03')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('2')
    code.resolve()
    const find = page.getByRole('combobox', { name: /^Find a server/ })
    await expect.poll(() => find.inputValue()).toBe('gpu-c2-02')
    await page.getByRole('option', { name: /^gpu-c2-02 root provider/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'gpu-c2-02', level: 1 }).waitFor()
  })

  test('finds traits, requests and actions, and does an action with the keyboard alone', async () => {
    const page = await open('/')
    const find = page.getByRole('combobox', { name: /^Find a server/ })
    await page.keyboard.press('/')
    await find.fill('CPU_X86_AVX')
    await page.getByRole('option', { name: /HW_CPU_X86_AVX512F trait/ }).waitFor()
    await find.fill('req-00000000-0000-4000-9000-000000000001')
    await page.getByRole('option', { name: /request$/ }).waitFor()
    await expectAccessible(page)
    await find.fill('>light and')
    await page.getByRole('option', { name: /Switch between light and dark action/ }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    await page.keyboard.press('/')
    await find.fill('>refusals')
    await page.getByRole('option', { name: /Show refusals of the last hour/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor()
    expect(new URL(page.url()).search).toBe('?outcome=refused&hours=1')
  })

  test('shows what is chosen with the keyboard, and providers beside everything else', async () => {
    for (let at = 0; at < 45; at++)
      await server.ask('POST', '/compute/v2.1/flavors', {
        flavor: { name: `gp-like-${at}`, ram: 512, vcpus: 1, disk: 1 },
      })
    const page = await open('/')
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: /^Find a server/ }).fill('gp-')
    await page
      .getByRole('option', { name: /gp-like-/ })
      .first()
      .waitFor()
    await expect.poll(() => page.getByRole('option', { name: /root provider/ }).count()).toBeGreaterThan(9)
    for (let at = 0; at < 39; at++) await page.keyboard.press('ArrowDown')
    const last = page.getByRole('option', { selected: true })
    await expect.poll(() => last.getAttribute('id')).toBe('found-39')
    const isSeen = () =>
      last.evaluate(element => {
        const [own, list] = [element, element.parentElement as HTMLElement].map(one =>
          one.getBoundingClientRect(),
        ) as [DOMRect, DOMRect]
        return own.bottom <= list.bottom + 1 && own.bottom <= innerHeight
      })
    await expect.poll(isSeen).toBe(true)
  })
})

describe('what goes wrong', () => {
  /** Of its own: what such a page says on its console is no complaint. */
  async function ownPage(): Promise<Page> {
    const page = await theStage.browser.newPage()
    await signInAs(page, server.url, 'admin')
    await page.goto(`${server.url}/`)
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    return page
  }

  test('a view whose code cannot be had says so, and the rest stays', async () => {
    const page = await ownPage()
    await page.route(/\/assets\/decisions-.*\.js$/, route => route.abort())
    await page.getByRole('link', { name: 'Decisions' }).click()
    await page.getByRole('heading', { name: 'This view could not be loaded', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Load the page again' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Flavors' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    await page.close()
  })

  test.each([
    ['/flavors/%25E0%25', 'No such flavor'],
    ['/catalog/namespaces/%25E0%25', 'No such namespace'],
  ])('an address that is not well written is only not found: %s', async (path, heading) => {
    const page = await open(path)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  })

  test('where the browser does not let the page copy, the text is there to be copied by hand', async () => {
    const page = await ownPage()
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.getByRole('link', { name: 'Candidates' }).click()
    await page.getByRole('heading', { name: 'Candidates', level: 1 }).waitFor()
    await page.getByRole('textbox', { name: /query/i }).first().fill('resources=VCPU:1')
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    const field = page.getByRole('textbox', { name: 'Press Ctrl+C' })
    await field.waitFor()
    const [text, selected] = await field.evaluate(element => {
      const { value, selectionStart, selectionEnd } = element as HTMLInputElement
      return [value, value.slice(selectionStart ?? 0, selectionEnd ?? 0)]
    })
    expect(selected).toBe(text)
    expect(text).not.toBe('')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Copy/ }).first().waitFor()
    await page.close()
  })
})
