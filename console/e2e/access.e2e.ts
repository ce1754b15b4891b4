import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo')

const PASSWORD = 'a long enough secret'
const ids = new Map<string, string>()

type Named = { readonly id: string; readonly name: string }

async function make(kind: 'project' | 'user', fields: object): Promise<Named> {
  const made = await server.ask<Record<string, Named>>(
    'POST',
    `/identity/v3/${kind}s`,
    { [kind]: fields },
    server.adminToken,
  )
  return made[kind] as Named
}

async function signIn(name: string, project: string): Promise<Response> {
  const user = { name, domain: { id: 'default' }, password: PASSWORD }
  return fetch(`${server.url}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: { id: ids.get(project) } },
      },
    }),
  })
}

const tokenOf = async (name: string, project: string) =>
  (await signIn(name, project)).headers.get('x-subject-token') as string

const statusOf = async (token: string) =>
  (await fetch(`${server.url}/v1/whoami`, { headers: { 'x-auth-token': token } })).status

beforeAll(async () => {
  const { roles } = await server.ask<{ roles: Named[] }>(
    'GET',
    '/identity/v3/roles',
    undefined,
    server.adminToken,
  )
  for (const { id, name } of roles) ids.set(name, id)
  for (const name of ['lab', 'yard']) ids.set(name, (await make('project', { name })).id)
  for (const [name, project, role] of [
    ['ray', 'lab', 'member'],
    ['rae', 'lab', 'reader'],
    ['joe', 'yard', 'member'],
  ] as const) {
    const { id } = await make('user', { name, password: PASSWORD, email: `${name}@example.org` })
    ids.set(name, id)
    const path = `/identity/v3/projects/${ids.get(project)}/users/${id}/roles/${ids.get(role)}`
    await server.ask('PUT', path, undefined, server.adminToken)
  }
})

const openAdmin = (path: string, options: Parameters<typeof open>[1] = {}) =>
  open(path, { token: server.adminToken, ...options })

const rowsOf = (page: Page, grid: string) =>
  page.getByRole('grid', { name: grid, exact: true }).getByRole('row').allInnerTexts()

async function confirm(page: Page, button: RegExp | string, dialog: string, yes: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  const asked = page.getByRole('dialog', { name: dialog })
  await asked.waitFor()
  await expectAccessible(page)
  await asked.getByRole('button', { name: yes }).click()
  await asked.waitFor({ state: 'detached' })
}

describe('users', () => {
  test('are listed with projects, roles and tokens, found by all of these, and filtered by state', async () => {
    await tokenOf('ray', 'lab')
    const page = await openAdmin('/access/users')
    await page.getByRole('link', { name: 'ray' }).waitFor()
    await expect
      .poll(async () => (await rowsOf(page, 'Users')).find(row => row.startsWith('ray')))
      .toMatch(/enabled\s+lab: member\s+ray@example.org\s+[1-9]\d*\s+0/)
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Filter users' }).fill('yard: member')
    await expect.poll(async () => (await rowsOf(page, 'Users')).length).toBe(2)
    expect((await rowsOf(page, 'Users'))[1]).toContain('joe')
    expect(page.url()).toContain('q=yard')
    await page.getByRole('textbox', { name: 'Filter users' }).fill('')
    await page.getByRole('radio', { name: 'Disabled' }).focus()
    await page.keyboard.press('Space')
    await page.getByText('No user is like this').waitFor()
  })

  test('a new one gets a role and a password that is shown once', async () => {
    const page = await openAdmin('/access/users')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog', { name: 'New user' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mia')
    await dialog.getByRole('combobox', { name: 'Project', exact: true }).click()
    await page.getByRole('option', { name: 'lab' }).click()
    await expect
      .poll(() => dialog.getByRole('button', { name: /^Create the user/ }).textContent())
      .toContain('choose both or neither')
    await dialog.getByRole('combobox', { name: 'Role in that project' }).click()
    await page.getByRole('option', { name: 'member' }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create the user' }).click()
    const shown = page.getByRole('dialog', { name: 'The password of mia' })
    const password = (await textOf(shown.locator('pre'))).trim()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'mia', level: 1 }).waitFor()
    await page.getByRole('row', { name: /lab member/ }).waitFor()
    expect(await page.content()).not.toContain(password)
    const user = { name: 'mia', domain: { id: 'default' }, password }
    const signed = await fetch(`${server.url}/identity/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } } } }),
    })
    expect(signed.status).toBe(201)
  })

  test('one has roles that are given and taken away, and tokens and credentials that are revoked', async () => {
    const token = await tokenOf('rae', 'lab')
    await server.ask(
      'POST',
      `/identity/v3/users/${ids.get('rae')}/application_credentials`,
      { application_credential: { name: 'ci' } },
      token,
    )
    const page = await openAdmin(`/access/users/${ids.get('rae')}`)
    await page.getByRole('grid', { name: 'Tokens of users' }).waitFor()
    await page.getByRole('grid', { name: 'Last changes' }).getByText('identity:create-credential').waitFor()
    await expectAccessible(page)
    const give = page.getByRole('form', { name: 'Give a role' })
    await give.getByRole('combobox', { name: 'Project' }).click()
    await page.getByRole('option', { name: 'yard' }).click()
    await give.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'manager' }).click()
    await give.getByRole('button', { name: 'Give the role' }).click()
    await page.getByRole('row', { name: /yard manager/ }).waitFor()
    await confirm(page, 'Take away manager of rae in yard', 'Take manager from rae?', 'Take the role away')
    await page.getByRole('row', { name: /yard manager/ }).waitFor({ state: 'detached' })
    await confirm(page, 'Revoke ci of rae', 'Revoke ci of rae?', 'Revoke the credential')
    await page.getByText('No application credential', { exact: true }).waitFor()
    expect(await statusOf(token)).toBe(200)
    await confirm(
      page,
      /^Revoke the token of rae that was issued/,
      'Revoke this token of rae?',
      'Revoke the token',
    )
    await page.getByText('No token is valid').waitFor()
    expect(await statusOf(token)).toBe(401)
  })

  test('one is disabled, which ends its tokens, and enabled again; once it is gone, the page says so', async () => {
    const token = await tokenOf('joe', 'yard')
    const page = await openAdmin(`/access/users/${ids.get('joe')}`)
    await confirm(page, 'Disable', 'Disable joe?', 'Disable the user')
    await page.getByText('disabled', { exact: true }).waitFor()
    expect([await statusOf(token), (await signIn('joe', 'yard')).status]).toEqual([401, 401])
    await confirm(page, 'Enable', 'Enable joe?', 'Enable the user')
    await page.getByText('enabled', { exact: true }).waitFor()
    expect((await signIn('joe', 'yard')).status).toBe(201)
    // Behind the back of the page, which follows the changes.
    await server.ask('DELETE', `/identity/v3/users/${ids.get('joe')}`, undefined, server.adminToken)
    await page.getByText('The user was deleted, or never was').waitFor()
    await expectAccessible(page)
  })

  test('all tokens of one are revoked, and the list is walked by keys on a narrow screen', async () => {
    const tokens = [await tokenOf('ray', 'lab'), await tokenOf('ray', 'lab')]
    const page = await openAdmin('/access/users', { width: 360 })
    await page.getByRole('link', { name: 'ray' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    const first = page.getByRole('grid', { name: 'Users' }).locator('[data-row="0"]')
    await first.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'ray', level: 1 }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await confirm(page, 'Revoke all tokens', 'Revoke all tokens of ray?', 'Revoke all tokens')
    await page.getByText('No token is valid').waitFor()
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401])
  })
})

describe('projects', () => {
  test('are listed with usage and limits, and lead to members, servers and what fits', async () => {
    const page = await openAdmin('/access/projects')
    await page.getByRole('link', { name: 'lab' }).waitFor()
    await expect
      .poll(async () => (await rowsOf(page, 'Projects')).find(row => row.startsWith('research\n')))
      .toMatch(/3 of 50[\s\S]*750 GB of 1 TB[\s\S]*gigabytes 75%/)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'lab' }).click()
    await page.getByRole('heading', { name: 'Project lab', level: 1 }).waitFor()
    await page.getByRole('row', { name: /^ray member/ }).waitFor()
    await page.getByRole('grid', { name: 'What fits now' }).waitFor()
    await expectAccessible(page)
    await page.goto(`${server.url}/access/projects/research`)
    await page.getByRole('grid', { name: 'Servers' }).getByRole('link').first().click()
    await page.getByRole('region', { name: 'What it holds' }).waitFor()
  })

  test('one is made, disabled and deleted; a name that is taken is refused in words', async () => {
    const page = await openAdmin('/access/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('lab')
    await dialog.getByRole('button', { name: 'Create the project' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'lab' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('textbox', { name: 'Name' }).fill('quay')
    await dialog.getByRole('button', { name: 'Create the project' }).click()
    await page.getByRole('heading', { name: 'Project quay', level: 1 }).waitFor()
    await confirm(page, 'Disable', 'Disable quay?', 'Disable the project')
    await page.getByText('disabled', { exact: true }).waitFor()
    await confirm(page, 'Delete', 'Delete quay?', 'Delete the project')
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    await expect.poll(async () => (await rowsOf(page, 'Projects')).join()).not.toContain('quay')
  })
})

describe('tokens', () => {
  test('of users, of machines and of credentials are on one page, sorted by their end', async () => {
    const token = await tokenOf('ray', 'lab')
    const page = await openAdmin('/access/tokens')
    const users = page.getByRole('grid', { name: 'Tokens of users' })
    await users.waitFor()
    expect(await users.getByRole('columnheader', { name: 'Ends' }).getAttribute('aria-sort')).toBe(
      'ascending',
    )
    await expectAccessible(page)
    expect(await page.content()).not.toContain(token)
    await page.getByRole('button', { name: 'New static token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New static token' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('grafana')
    await dialog.getByLabel('Roles', { exact: true }).fill('reader')
    await page.keyboard.press('Enter')
    // Closes the list of roles.
    await dialog.getByRole('textbox', { name: 'Name' }).focus()
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create the token' }).click()
    const shown = page.getByRole('dialog', { name: 'The token grafana' })
    const made = (await textOf(shown.locator('pre'))).trim()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(await statusOf(made)).toBe(200)
    await expect.poll(() => rowsOf(page, 'Static tokens')).toHaveLength(2)
    await confirm(page, 'Revoke grafana', 'Revoke the static token grafana?', 'Revoke the token')
    await page.getByText('No static token', { exact: true }).waitFor()
    expect(await statusOf(made)).toBe(401)
    await page.getByRole('textbox', { name: 'Filter tokens and credentials' }).fill('nobody like this')
    await page.getByText('No token is like this').waitFor()
  })
})

describe('roles and policy', () => {
  test('say which roles permit an operation, and what a role permits', async () => {
    const page = await openAdmin('/access/policy')
    const grid = page.getByRole('grid', { name: 'Operations' })
    await grid.waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Find' }).fill('audit log')
    await expect.poll(async () => (await rowsOf(page, 'Operations')).length).toBe(2)
    expect((await rowsOf(page, 'Operations'))[1]).toMatch(/berth:audit\s+Read the audit log\s+admin/)
    await grid.getByRole('link', { name: 'berth:audit' }).click()
    const chosen = page.getByRole('region', { name: 'berth:audit' })
    await expect.poll(() => textOf(chosen)).toContain('rule:context_is_admin')
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Find' }).fill('')
    await page.getByRole('link', { name: 'reader', exact: true }).click()
    await expect.poll(() => page.url()).toContain('role=reader')
    await expect.poll(async () => (await rowsOf(page, 'Operations')).join()).not.toContain('berth:audit')
    await page
      .getByRole('link', { name: /^[1-9] users?$/ })
      .first()
      .waitFor()
  })
})

describe('the audit log', () => {
  test('is searched by words, user and time, and names who did what', async () => {
    await make('project', { name: 'pier' })
    const page = await openAdmin('/access/audit')
    await page.getByRole('grid', { name: 'Audit log' }).getByText('identity:create-project').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'User or static token' }).fill('rae')
    await expect
      .poll(async () => (await rowsOf(page, 'Audit log')).slice(1).every(row => row.includes('rae')))
      .toBe(true)
    await page.getByRole('textbox', { name: 'Find' }).fill('nothing is like this')
    await page.getByText('No change is like this').waitFor()
    await page.getByRole('textbox', { name: 'Find' }).fill('')
    await page.getByRole('grid', { name: 'Audit log' }).getByText('identity:create-credential').waitFor()
    await page.getByRole('link', { name: 'rae' }).first().click()
    await page.getByRole('heading', { name: 'rae', level: 1 }).waitFor()
  })
})

test('the pages are one key chord away', async () => {
  const page = await openAdmin('/flavors')
  await page.getByRole('link', { name: 'm1.small' }).waitFor()
  for (const [key, heading] of [
    ['e', 'Users'],
    ['j', 'Projects'],
    ['t', 'Tokens'],
    ['r', 'Roles and policy'],
    ['l', 'Audit log'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  }
})
