import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { FakeKeystone } from '../../src/identity/keystone/fake-keystone.fixture.ts'
import { choose, expectAccessible, stage } from './stage.ts'

describe('a server that knows tokens', () => {
  const stageOne = stage('--demo')
  const { server, open } = stageOne

  const keptToken = (page: Page) => page.evaluate(() => String(sessionStorage.getItem('berth-token')))
  const statusOf = async (token: string) =>
    (await fetch(`${server.url}/v1/whoami`, { headers: { 'x-auth-token': token } })).status

  async function passwordToken(): Promise<string> {
    const user = { name: 'admin', domain: { name: 'Default' }, password: server.adminPassword }
    const project = { name: 'admin', domain: { name: 'Default' } }
    const answer = await fetch(`${server.url}/identity/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        auth: { identity: { methods: ['password'], password: { user } }, scope: { project } },
      }),
    })
    expect(answer.status).toBe(201)
    return answer.headers.get('x-subject-token') as string
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Signed in as/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  }

  test('brings the cursor to the first field, however one signs in', async () => {
    const page = await open('/', { token: null })
    const isFocused = (name: string) =>
      page.getByRole('textbox', { name }).evaluate(field => field === document.activeElement)
    await page.getByRole('textbox', { name: 'User' }).waitFor()
    expect(await isFocused('User')).toBe(true)
    await choose(page, 'Token')
    await expect.poll(() => isFocused('Token')).toBe(true)
  })

  test('a new tab is signed in too; who signs out in one has signed out in all', async () => {
    const page = await open('/flavors', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('admin')
    await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    const token = await keptToken(page)
    const second = await page.context().newPage()
    await second.goto(`${server.url}/aggregates`)
    await second.getByRole('heading', { name: 'Aggregates', level: 1 }).waitFor()
    expect(await keptToken(second)).toBe(token)
    // Nothing is left where it would outlive the tabs.
    expect(await second.evaluate(() => JSON.stringify(localStorage))).not.toContain(token)
    expect(await page.context().cookies()).toEqual([])
    await signOut(second)
    await page.getByText('You signed out in another tab.').waitFor()
    expect(await keptToken(page)).toBe('null')
    await expect.poll(() => statusOf(token)).toBe(401)
    const third = await page.context().newPage()
    await third.goto(`${server.url}/aggregates`)
    await third.getByRole('textbox', { name: 'User' }).waitFor()
  })

  test('the menu calls user and project by their names', async () => {
    const made = async <T>(path: string, body: object) =>
      server.ask<T>('POST', `/identity/v3/${path}`, body, server.adminToken)
    type Made = Record<'project' | 'user', { id: string }>
    const { project } = await made<Made>('projects', { project: { name: 'Harbour' } })
    const { user } = await made<Made>('users', { user: { name: 'ann', password: 'a long enough secret' } })
    type Roles = { roles: { id: string; name: string }[] }
    const { roles } = await server.ask<Roles>('GET', '/identity/v3/roles', undefined, server.adminToken)
    const role = roles.find(({ name }) => name === 'reader')?.id
    const assignment = `/identity/v3/projects/${project.id}/users/${user.id}/roles/${role}`
    await server.ask('PUT', assignment, undefined, server.adminToken)
    const page = await open('/flavors', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough secret')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Signed in as ann' }).click()
    await page.getByText('ann in Harbour').waitFor()
    expect(await page.getByRole('menu').innerText()).not.toContain(project.id)
  })

  test('asks for a token, says when it is wrong, and opens the page that was asked for', async () => {
    const page = await open('/flavors', { token: null })
    await choose(page, 'Token')
    await page.getByRole('textbox', { name: 'Token' }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'does not know this token' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Token' }).fill(server.adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
  })

  test('takes a user and a password of the server itself', async () => {
    const page = await open('/', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('admin')
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'do not fit together' }).waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill(server.adminPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    const token = await keptToken(page)
    expect(await statusOf(token)).toBe(200)
    await signOut(page)
    // It was made for this console alone, and ends with it.
    await expect.poll(() => statusOf(token)).toBe(401)
  })

  test('a token that was brought from elsewhere stays good after signing out', async () => {
    const token = await passwordToken()
    const page = await open('/', { token })
    await page.getByRole('link', { name: /^gp-a1-01/ }).waitFor()
    const revoked: string[] = []
    page.on('request', request => request.method() === 'DELETE' && revoked.push(request.url()))
    await signOut(page)
    await page.waitForTimeout(300)
    expect(revoked).toEqual([])
    expect(await statusOf(token)).toBe(200)
  })

  test('a token that ends in mid-session: whoever is next sees nothing of what was read before', async () => {
    const token = await passwordToken()
    const page = await open('/flavors', { token })
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    await fetch(`${server.url}/identity/v3/auth/tokens`, {
      method: 'DELETE',
      headers: { 'x-auth-token': token, 'x-subject-token': token },
    })
    await page.getByRole('link', { name: 'Catalog' }).click()
    await page.getByRole('status').filter({ hasText: 'no longer takes the token' }).waitFor()
    expect(await keptToken(page)).toBe('null')
    // The answer for the next one does not come: whatever is shown was the last one's.
    await page.route('**/flavors/detail*', () => undefined)
    await choose(page, 'Token')
    await page.getByRole('textbox', { name: 'Token' }).fill(server.adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Flavors', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Reading flavors' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'm1.small' }).count()).toBe(0)
  })

  const follow = async (page: Page, token: string) => {
    await page.goto('about:blank')
    await page.goto(`${server.url}/flavors#token=${token}`)
  }
  const useIt = (page: Page) => page.getByRole('button', { name: 'Use the token of the link' })

  test('a link with another token asks first, and a bad one takes nothing away', async () => {
    const page = await open('/flavors', { token: server.adminToken })
    await follow(page, 'bad')
    await page.getByRole('heading', { name: 'The link brought another token' }).waitFor()
    await page.getByRole('alert').filter({ hasText: 'does not know this token' }).waitFor()
    await expectAccessible(page)
    await expect.poll(() => page.url()).toBe(`${server.url}/flavors`)
    expect(await useIt(page).isDisabled()).toBe(true)
    expect(await keptToken(page)).toBe(server.adminToken)
    await page.getByRole('button', { name: 'Stay as I am' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    const other = await passwordToken()
    await follow(page, other)
    await useIt(page).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    expect(await keptToken(page)).toBe(other)
    // The same one again is no question.
    await follow(page, other)
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
  })

  test('a link signs nobody in by itself: it says whom one would become, and takes no for an answer', async () => {
    const page = await open('/', { token: null })
    await follow(page, server.adminToken)
    await page.getByRole('heading', { name: 'The link brought a token' }).waitFor()
    const whom = 'You would be user admin in project admin, with the roles admin'
    await page.getByRole('status').filter({ hasText: whom }).waitFor()
    await expectAccessible(page)
    expect(await keptToken(page)).toBe('null')
    await expect.poll(() => page.url()).toBe(`${server.url}/flavors`)
    await page.getByRole('button', { name: 'Sign in another way' }).click()
    await page.getByRole('textbox', { name: 'Password' }).waitFor()
    expect(await keptToken(page)).toBe('null')
    await follow(page, server.adminToken)
    await useIt(page).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    expect(await keptToken(page)).toBe(server.adminToken)
  })

  test('a token lives as long as its last tab', async () => {
    const page = await open('/', { token: server.adminToken })
    await page.getByRole('heading', { name: 'Capacity', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Capacity', level: 1 }).waitFor()
    await signOut(page)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('the page forbids foreign and inline scripts, and nothing on it breaks that', async () => {
    const answer = await fetch(server.url, { headers: { accept: 'text/html' } })
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(await answer.text()).not.toMatch(/<script(?![^>]*src=)/)
    // In a page of its own: what the browser says of it is not a complaint.
    const page = await stageOne.browser.newPage()
    await page.goto(server.url)
    const isBlocked = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.broken = true'
      const blocked = new Promise(resolve =>
        document.addEventListener('securitypolicyviolation', () => resolve(true)),
      )
      document.body.append(script)
      return Promise.race([blocked, new Promise(resolve => setTimeout(() => resolve(false), 1_000))])
    })
    expect(isBlocked).toBe(true)
    await page.close()
  })
})

describe('a server that asks a Keystone', () => {
  let keystone: FakeKeystone
  const { server, open } = stage({
    async flags() {
      keystone = await FakeKeystone.start()
      const projects = { shop: ['reader'], ops: ['admin'], far: ['reader'] }
      keystone.people.set('ann', { password: 'right', projects, afar: ['far'] })
      const account = ['--keystone-url', keystone.url, '--keystone-username', 'berth']
      return ['--demo', '--auth', 'keystone', ...account]
    },
    env: { BERTH_KEYSTONE_PASSWORD: 'sesame' },
  })
  afterAll(() => keystone.end())

  test('takes a user of it, asks which project, and does what the roles there allow', async () => {
    const page = await open('/flavors', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'do not fit together' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Password' }).fill('right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const which = page.getByRole('combobox', { name: 'Project' })
    await which.waitFor()
    await expect.poll(() => which.evaluate(element => element === document.activeElement)).toBe(true)
    await page.getByRole('status').filter({ hasText: 'You are in 3 projects. Choose one.' }).waitFor()
    await expectAccessible(page)
    await which.click()
    await page.getByRole('option', { name: 'ops (domain default)' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    const button = page.getByRole('button', { name: /^New flavor/ })
    await button.waitFor()
    await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true')
  })

  test('a project of another domain is entered too, though its name is that of one here', async () => {
    const page = await open('/flavors', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('right')
    await page.getByRole('textbox', { name: 'Project' }).fill('ops')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('combobox', { name: 'Project' }).click()
    await page.getByRole('option', { name: 'ops (domain elsewhere)' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    const token = await page.evaluate(() => sessionStorage.getItem('berth-token'))
    expect(token).toBe('ann-far')
  })

  test('a project can be named at once; another domain has other users', async () => {
    const page = await open('/', { token: null })
    await page.getByRole('textbox', { name: 'User' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('right')
    await page.getByRole('textbox', { name: 'Project' }).fill('shop')
    await page.getByRole('textbox', { name: 'Domain' }).fill('Elsewhere')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'do not fit together' }).waitFor()
    await page.getByRole('textbox', { name: 'Domain' }).fill('Default')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Project Name of shop' }).waitFor()
  })

  test('that is away says so', async () => {
    const page = await open('/', { token: null })
    keystone.broken = 500
    await page.getByRole('textbox', { name: 'User' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'Keystone cannot be reached' }).waitFor()
    keystone.broken = null
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('combobox', { name: 'Project' }).waitFor()
    expect(await server.ask('GET', '/v1/whoami', undefined, server.adminToken)).toMatchObject({
      user_id: 'admin',
    })
  })
})

describe('a user who may little', () => {
  const { server, open } = stage('--demo', '--auth', 'noauth2')

  test('is told so where hosts would be, and what is allowed works', async () => {
    const page = await open('/', { token: 'joe:shop:reader' })
    await page.getByRole('heading', { name: 'Project shop' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Flavors' }).click()
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    const views = page.getByRole('navigation', { name: 'Views' }).getByRole('listitem')
    await expect.poll(() => views.allInnerTexts()).toEqual(['Home', 'Shares', 'Flavors', 'Catalog'])
  })

  test('finds controls that are off and say why', async () => {
    const page = await open('/flavors', { token: 'joe:shop:reader' })
    const button = page.getByRole('button', { name: /^New flavor/ })
    await button.waitFor()
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => button.textContent()).toContain('os_compute_api:os-flavor-manage:create')
    await button.focus()
    await page.getByRole('tooltip').filter({ hasText: 'joe (reader)' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('whose token ends is asked again, and comes back', async () => {
    const page = await open('/catalog', { token: 'joe:shop:reader' })
    await page.evaluate(() => sessionStorage.setItem('berth-token', '%ff'))
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.getByRole('textbox', { name: 'Who are you?' }).fill('admin')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor()
    await expect.poll(() => page.url()).toBe(`${server.url}/catalog`)
  })
})
