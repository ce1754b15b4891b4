/** One user's browser on the dashboard. */
import assert from 'node:assert/strict'
import type { Browser, Locator, Page } from 'playwright-core'

const WAIT_MS_MAX = 15_000

export class Dashboard {
  readonly page: Page
  readonly #url: string

  private constructor(page: Page, url: string) {
    this.page = page
    this.#url = url
  }

  static async signIn(browser: Browser, url: string, user: string, password: string): Promise<Dashboard> {
    const context = await browser.newContext({ viewport: { width: 1360, height: 1000 } })
    context.setDefaultTimeout(WAIT_MS_MAX)
    const page = await context.newPage()
    await page.goto(`${url}/auth/login/`)
    await page.fill('#id_username', user)
    await page.fill('#id_password', password)
    await page.click('#loginBtn')
    await page.locator('#sidebar, .sidebar').first().waitFor()
    return new Dashboard(page, url)
  }

  /** Opens a panel and waits until it sends no more requests. */
  async open(path: string): Promise<void> {
    const answer = await this.page.goto(`${this.#url}${path}`, { waitUntil: 'networkidle' })
    assert.equal(answer?.status(), 200, path)
  }

  /** A panel opens without an error message. */
  async opensQuietly(path: string): Promise<void> {
    await this.open(path)
    const texts = await this.page.locator('.alert-danger, .alert-warning').allInnerTexts()
    assert.deepEqual(
      texts.filter(text => text.trim() !== ''),
      [],
      path,
    )
  }

  async shows(...parts: readonly (string | RegExp)[]): Promise<void> {
    for (const part of parts) await this.page.getByText(part).first().waitFor()
  }

  /** A row of a table by a text in it. */
  row(text: string): Locator {
    return this.page.locator('table tbody tr', { hasText: text }).first()
  }

  /** Picks an action of the menu of a row, or its button. */
  async act(row: Locator, action: string): Promise<void> {
    await row.waitFor()
    const button = row.getByText(action, { exact: true }).first()
    if (!(await button.isVisible())) await row.locator('.dropdown-toggle').first().click()
    await button.click()
  }

  /** Confirms a dialog. */
  async confirm(): Promise<void> {
    await this.page.locator('.modal-dialog .btn-danger, .modal-dialog .btn-primary').last().click()
  }

  /** Chromium on a busy machine sometimes takes no picture; that is no failure of the dashboard. */
  async picture(path: string): Promise<void> {
    await this.page.screenshot({ path }).catch(error => console.log(`no picture ${path}: ${error.message}`))
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}
