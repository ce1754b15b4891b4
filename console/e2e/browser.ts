/** The machine's own Chromium, driven. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PLACES.find(existsSync)
  if (executablePath === undefined)
    throw new Error(`there is no Chromium at ${PLACES.join(', ')}: install it, or name it in CHROMIUM`)
  // Root, as in containers, may not use the sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args: [...sandbox, '--disable-dev-shm-usage'] })
}

/** The tab has the token from then on, as if somebody had signed in on it. */
export async function signInAs(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/healthz`)
  await page.evaluate(kept => sessionStorage.setItem('berth-token', kept), token)
}
