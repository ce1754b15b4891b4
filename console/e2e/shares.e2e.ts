import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { choose, expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const MEMBER = 'ann:shop:member,reader'
const READER = 'joe:shop:reader'

/** Of the demo, whose ids are always the same. */
const DB1 = '85feddc3-168f-5990-9c05-ed87a1d9dd2f'
const DB2 = '3782fbcc-9adb-56ef-8eec-3057ed52637e'
const DB3 = 'ec4f7231-5343-5c82-a1ac-4749e282307c'
const RESULTS = 'acab5dd9-b474-5ab6-b3a5-ed911c66ef78'

interface Shown {
  readonly id: string
  readonly status: string
  readonly host: string
  readonly metadata: Readonly<Record<string, string>>
}

const shareOf = async (id: string): Promise<Shown> =>
  (await server.ask<{ share: Shown }>('GET', `/share/v2/shares/${id}`)).share

const settled = (id: string, status = 'available') =>
  expect.poll(async () => (await shareOf(id)).status).toBe(status)

async function made(name: string, more: object = {}, token = 'admin:shop'): Promise<string> {
  const share = { name, size: 10, share_proto: 'NFS', ...more }
  const { id } = (await server.ask<{ share: Shown }>('POST', '/share/v2/shares', { share }, token)).share
  await settled(id)
  return id
}

/** Types into a picker and takes what it offers. */
async function pick(page: Page, picker: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: picker }).fill(name)
  await page.getByRole('option', { name: new RegExp(`${name}( |$)`) }).click()
  await page.keyboard.press('Escape')
}

const stateIs = (page: Page, word: string) =>
  page.getByRole('main').getByRole('paragraph').filter({ hasText: word }).first().waitFor()

describe('the list of shares', () => {
  test('has states as words, and filters and order in the address', async () => {
    const page = await open('/shares')
    const grid = page.getByRole('grid', { name: 'Shares' })
    await grid.getByRole('row', { name: /shop-db-3 error 150 GB fast/ }).waitFor()
    await expect
      .poll(() => textOf(grid.getByRole('row', { name: /^genomes-results/ })))
      .toContain('filer@nas-b#disks')
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Project' }).fill('shop')
    await page.getByRole('option', { name: 'shop' }).click()
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('6')
    await page.getByRole('button', { name: 'Size' }).click()
    await page.getByRole('textbox', { name: 'Filter shares' }).fill('shop-m')
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('2')
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({
        project: 'shop',
        sort: 'size',
        q: 'shop-m',
      })
    await page.reload()
    await grid.getByRole('link', { name: 'shop-media' }).waitFor()
  })

  test('follows what others do, without being asked', async () => {
    const page = await open('/shares?q=from-elsewhere')
    await page.getByRole('heading', { name: 'No share is like this' }).waitFor()
    await made('from-elsewhere')
    await page.getByRole('row', { name: /from-elsewhere available/ }).waitFor()
  })

  test('arrow keys go through it, Enter opens a share', async () => {
    const page = await open('/shares')
    const rows = page.getByRole('grid', { name: 'Shares' }).getByRole('row')
    await rows.filter({ hasText: 'books' }).first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'books-mirror', level: 1 }).waitFor()
  })

  test('the bin has what can be restored', async () => {
    const page = await open('/shares')
    await choose(page, 'Bin')
    await page.getByRole('link', { name: 'old-newsletters' }).click()
    await stateIs(page, 'in the bin')
    await expect
      .poll(() => page.getByRole('button', { name: /^Change size/ }).textContent())
      .toContain('restore it first')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await stateIs(page, 'available')
  })
})

describe('a new share', () => {
  test('is made by a member near one and away from another, and nobody names a host', async () => {
    const page = await open('/shares/new', { token: MEMBER })
    await page.getByRole('textbox', { name: 'Name' }).fill('shop-cache')
    await page.getByRole('textbox', { name: 'Size in GB' }).fill('20')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'fast' }).click()
    await pick(page, 'Keep near', 'shop-web')
    await pick(page, 'Keep away', 'shop-db-2')
    const verdict = page.getByRole('region', { name: 'Dry run' })
    await verdict.getByRole('status').filter({ hasText: 'There is a place for it.' }).waitFor()
    await expect.poll(() => textOf(verdict)).toContain('1 of 6 pools fits.')
    await expect
      .poll(() => textOf(verdict.getByRole('list', { name: 'Funnel of pools' })))
      .toMatch(/AffinityFilter\).*2 → 1 pools.*narrows/)
    await expectAccessible(page)
    await expect.poll(() => page.getByRole('main').textContent()).not.toContain('filer')
    await page.getByRole('button', { name: 'Create the share' }).click()
    await page.getByRole('heading', { name: 'shop-cache', level: 1 }).waitFor()
    await stateIs(page, 'available')
    const near = page.getByRole('list', { name: 'Near: on the same back end' })
    await expect.poll(() => textOf(near)).toMatch(/shop-web.*on the same back end.*asked for by shop-cache/)
    const away = page.getByRole('list', { name: 'Away: on another back end' })
    await expect.poll(() => textOf(away)).toMatch(/shop-db-2.*on another back end/)
    await expect.poll(() => page.getByRole('main').textContent()).not.toContain('filer@')
    await expectAccessible(page)
    const id = page.url().split('/').at(-1) as string
    const [cache, db2] = [await shareOf(id), await shareOf(DB2)]
    expect(cache.host.split('#')[0]).not.toBe(db2.host.split('#')[0])
    expect(db2.metadata.__affinity_different_host).toContain(id)
  })

  test('admins are told every pool, and why not the others', async () => {
    const page = await open(`/shares/new?size=10&type=fast&away=${DB1}`)
    const pools = page.getByRole('list', { name: 'Pools', exact: true })
    await expect
      .poll(() => textOf(pools.getByRole('listitem').filter({ hasText: 'filer@nas-a#ssd' })))
      .toMatch(/shop-db-1, which it must be away from, is on this back end.*does not fit/)
    await expect
      .poll(() => textOf(pools.getByRole('listitem').filter({ hasText: 'filer@nas-b#ssd' })))
      .toContain('fits')
    await expect
      .poll(() => textOf(pools.getByRole('listitem').filter({ hasText: 'old-c' })))
      .toContain('being retired')
  })

  test('picks that contradict each other are warned about; made all the same, it says what stood in the way', async () => {
    const page = await open(`/shares/new?name=impossible&size=1&near=${DB1},${DB2}`, { token: MEMBER })
    const warning = page.getByRole('status').filter({ hasText: 'contradict each other' })
    await expect.poll(() => textOf(warning)).toContain('shop-db-1 and shop-db-2 are on different back ends')
    await page.getByRole('alert').filter({ hasText: 'No pool fits.' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create the share' }).click()
    await page.getByRole('heading', { name: 'impossible', level: 1 }).waitFor()
    const message = page.getByRole('region', { name: 'Messages' }).getByRole('alert')
    await expect
      .poll(() => textOf(message))
      .toMatch(/It found no place.*AffinityFilter.*same back end as share shop-db-/)
    await message.getByRole('link', { name: /^shop-db-/ }).waitFor()
    await page.getByRole('region', { name: 'Why it has no place' }).waitFor()
    await message.getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => page.getByRole('region', { name: 'Messages' }).count()).toBe(0)
  })

  test('what the server refuses is told in its words, and nothing typed is lost', async () => {
    const page = await open('/shares/new?name=huge&size=900', { token: MEMBER })
    await page.getByRole('status').filter({ hasText: 'more than the quota' }).waitFor()
    await page.getByRole('button', { name: 'Create the share' }).click()
    await expect.poll(() => textOf(page.getByRole('alert').filter({ hasText: 'HTTP 413' }))).toMatch(/quota/i)
    await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('huge')
    await page.getByRole('textbox', { name: 'Size in GB' }).fill('0')
    const button = page.getByRole('button', { name: /^Create the share/ })
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('a share', () => {
  test('that failed says why', async () => {
    const page = await open(`/shares/${DB3}`)
    await expect.poll(() => textOf(page.getByRole('region', { name: 'Messages' }))).toContain('shop-db-1')
    const why = page.getByRole('region', { name: 'Why it has no place' })
    await expect
      .poll(() => textOf(why.getByRole('list', { name: 'Funnel of pools' })))
      .toMatch(/AntiAffinityFilter\).*2 → 0 pools.*blocks/)
    await expectAccessible(page)
  })

  test('leads to the decision by which it was made', async () => {
    const page = await open(`/shares/${await made('decided')}`)
    await page.getByRole('link', { name: 'The decision when it was made' }).click()
    await page.getByRole('heading', { name: 'Decision', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('status').filter({ hasText: 'Same result.' }).waitFor()
  })

  test('grows, shrinks, has snapshots and metadata, and goes', async () => {
    const id = await made('short-lived')
    const page = await open(`/shares/${id}`)
    for (const [size, verb] of [
      ['25', 'Extend to 25 GB'],
      ['15', 'Shrink to 15 GB'],
    ] as const) {
      await page.getByRole('button', { name: 'Change size' }).click()
      await page.getByRole('textbox', { name: 'New size in GB' }).fill(size)
      await expectAccessible(page)
      await page.getByRole('button', { name: verb }).click()
      await page
        .getByRole('definition')
        .filter({ hasText: `${size} GB` })
        .waitFor()
      await settled(id)
      await stateIs(page, 'available')
    }
    const metadata = page.getByRole('region', { name: 'Metadata' })
    await metadata.getByRole('textbox', { name: 'Key' }).fill('team')
    await metadata.getByRole('textbox', { name: 'Value' }).fill('blue')
    await page.keyboard.press('Enter')
    await metadata.getByRole('listitem').filter({ hasText: 'team=blue' }).waitFor()
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('textbox', { name: 'Name of the snapshot' }).fill('monday')
    await page.keyboard.press('Enter')
    const snapshot = page.getByRole('list', { name: 'Snapshots' }).getByRole('listitem')
    await snapshot.filter({ hasText: 'available' }).waitFor()
    const remove = page.getByRole('button', { name: /^Delete(?! monday)/ })
    await expect.poll(() => remove.textContent()).toContain('It has 1 snapshot: delete them first.')
    await snapshot.getByRole('button', { name: 'Delete monday' }).click()
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBeNull()
    await remove.click()
    await page.getByRole('checkbox', { name: 'Delete it for good, at once' }).check()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Shares', level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'short-lived' }).count()).toBe(0)
  })

  test('lets somebody in, and no more; where it is exported can be copied', async () => {
    const id = await made('open-to-some')
    const page = await open(`/shares/${id}`)
    const access = page.getByRole('region', { name: 'Access' })
    await access.getByText('Nobody may mount the share so far.').waitFor()
    await access.getByRole('button', { name: 'Give access' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Whom to let in' }).fill('10.0.0.1/24')
    await dialog.getByText('10.0.0.1/24 has host bits set.').first().waitFor()
    await dialog.getByRole('textbox', { name: 'Whom to let in' }).fill('10.0.0.0/24')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    const rule = access.getByRole('list', { name: 'Access rules' }).getByRole('listitem')
    await rule.filter({ hasText: '10.0.0.0/24' }).filter({ hasText: 'active' }).waitFor()
    await expect.poll(() => textOf(rule)).toContain('ip, read and write')
    await rule.getByRole('button', { name: 'Remove 10.0.0.0/24' }).click()
    await access.getByText('Nobody may mount the share so far.').waitFor()
    const exports = page.getByRole('definition').filter({ hasText: id })
    await exports.getByRole('button', { name: 'Copy' }).waitFor()
  })

  test('from a snapshot: size, type and back end come with it', async () => {
    const page = await open('/shares?q=homes')
    await page.getByRole('link', { name: 'homes', exact: true }).click()
    await page.getByRole('link', { name: 'New share from it' }).click()
    await page.getByRole('heading', { name: 'New share', level: 1 }).waitFor()
    const size = page.getByRole('textbox', { name: 'Size in GB' })
    await expect.poll(() => size.inputValue()).toBe('300')
    await size.fill('10')
    const button = page.getByRole('button', { name: /^Create the share/ })
    await expect.poll(() => button.textContent()).toContain('needs 300 GB at least')
    await size.fill('301')
    await page.getByRole('textbox', { name: 'Name' }).fill('homes-copy')
    await button.click()
    await page.getByRole('heading', { name: 'homes-copy', level: 1 }).waitFor()
    await stateIs(page, 'available')
  })

  test('gets hints from an admin', async () => {
    const id = await made('free')
    const page = await open(`/shares/${id}`)
    await page.getByRole('heading', { name: 'It may be anywhere' }).waitFor()
    await page.getByRole('button', { name: 'Edit hints' }).click()
    await pick(page, 'Keep away', 'shop-db-1')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Write the hints' }).click()
    const away = page.getByRole('list', { name: 'Away: on another back end' })
    await expect.poll(() => textOf(away)).toContain('shop-db-1')
    expect((await shareOf(id)).metadata.__affinity_different_host).toBe(DB1)
  })

  test('keeps the hints that somebody else writes while an admin edits others', async () => {
    const id = await made('two-minds')
    const page = await open(`/shares/${id}`)
    await page.getByRole('button', { name: 'Edit hints' }).click()
    await pick(page, 'Keep away', 'shop-db-1')
    const path = `/share/v2/shares/${id}/metadata`
    await server.ask('POST', path, { metadata: { __affinity_different_host: DB2 } })
    await page.getByRole('button', { name: 'Write the hints' }).click()
    await expect
      .poll(async () => (await shareOf(id)).metadata.__affinity_different_host)
      .toBe(`${DB2},${DB1}`)
  })

  test('says of a hint that only the other share has whether it is kept', async () => {
    const named = await made('named')
    const naming = await made('naming', { scheduler_hints: { same_host: [named] } })
    const path = `/share/v2/shares/${named}/metadata/__affinity_same_host`
    // As Manila does it: later versions drop both sides.
    const headers = { 'x-auth-token': 'admin', 'x-openstack-manila-api-version': '2.65' }
    expect((await fetch(server.url + path, { method: 'DELETE', headers })).status).toBe(200)
    const page = await open(`/shares/${named}`)
    const near = page.getByRole('list', { name: 'Near: on the same back end' })
    await near.getByText('written on naming alone').waitFor()
    await near.getByText('on the same back end').waitFor()
    expect((await shareOf(naming)).metadata.__affinity_same_host).toBe(named)
  })

  test('in error with a pool is explained where it is; what a member may not do says why', async () => {
    const id = await made('hurt')
    await server.ask('POST', `/share/v2/shares/${id}/action`, { reset_status: { status: 'error' } })
    for (const token of ['admin', MEMBER]) {
      const page = await open(`/shares/${id}`, { token })
      await page.getByRole('region', { name: 'Why here' }).waitFor()
    }
    const page = await open(`/shares/${id}`, { token: MEMBER })
    for (const name of [/^Edit hints.*admin/, /^Reset state.*reset_status/])
      await page.getByRole('button', { name }).waitFor()
    await expectAccessible(page)
  })

  test('a size that is deleted stays empty, and is asked for', async () => {
    const page = await open('/shares/new?size=20')
    const size = page.getByRole('textbox', { name: 'Size in GB' })
    await size.fill('')
    await page.getByText('The size has to be a whole number of GB, at least 1.').first().waitFor()
    await expect.poll(() => size.inputValue()).toBe('')
    await size.pressSequentially('7')
    await expect.poll(() => size.inputValue()).toBe('7')
  })

  test('that is stuck is reset by an admin', async () => {
    const id = await made('stuck')
    await server.ask('POST', `/share/v2/shares/${id}/action`, { reset_status: { status: 'error_deleting' } })
    const page = await open(`/shares/${id}`)
    await stateIs(page, 'error deleting')
    await page.getByRole('button', { name: 'Reset state' }).click()
    await page.getByRole('button', { name: 'Set it to available' }).click()
    await stateIs(page, 'available')
  })

  test('that is not there, or not for the caller, says so', async () => {
    const page = await open(`/shares/${RESULTS}`, { token: MEMBER })
    await page.getByRole('heading', { name: 'No such share' }).waitFor()
    await expectAccessible(page)
  })
})

describe('a move', () => {
  test('what hints forbid is off and says why; with the override it goes there, and the page says so', async () => {
    const first = await made('apart-1', { share_type: 'fast' })
    const second = await made('apart-2', {
      share_type: 'fast',
      scheduler_hints: { different_host: [first] },
    })
    const forbidden = (await shareOf(first)).host
    const page = await open(`/shares/${second}`)
    await page.getByRole('button', { name: 'Move' }).click()
    const target = page.getByRole('radio', { name: forbidden })
    await expect.poll(() => target.getAttribute('aria-disabled')).toBe('true')
    await target.focus()
    await page.keyboard.press('Space')
    await expect.poll(() => target.isChecked()).toBe(false)
    const pools = page.getByRole('group', { name: 'Pool to move to' })
    await expect.poll(() => textOf(pools)).toMatch(/hints forbid it.*apart-1, which it must be away from/)
    const begin = page.getByRole('button', { name: /^Begin the move/ })
    await expect.poll(() => begin.textContent()).toContain('Choose a pool first.')
    await expectAccessible(page)
    await page.getByRole('checkbox', { name: /what its hints forbid/ }).check()
    await target.check()
    await page.getByRole('button', { name: 'Move against the hints' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move it against its hints?' })
    await expect.poll(() => textOf(dialog)).toContain('apart-1, which it must be away from')
    const go = dialog.getByRole('button', { name: /^Move it all the same/ })
    await expect.poll(() => go.getAttribute('aria-disabled')).toBe('true')
    await expectAccessible(page)
    await dialog.getByRole('checkbox', { name: 'I know what this breaks' }).check()
    await go.click()
    const moving = page.getByRole('region', { name: 'It is being moved' })
    await expect.poll(() => textOf(moving)).toContain('can be completed once everything is copied')
    await moving.getByRole('button', { name: 'Complete the move', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'It was moved against its hints.' }).waitFor()
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Away: on another back end' })))
      .toContain('on the same back end, against the hint')
    expect((await shareOf(second)).host).toBe(forbidden)
    await expectAccessible(page)
  })

  test('to another type may stay where it is', async () => {
    const host = 'filer@nas-c#disks'
    const id = await made('retyped', { size: 60, scheduler_hints: { only_host: host } })
    const page = await open(`/shares/${id}/move`)
    const here = page.getByRole('radio', { name: host })
    await expect.poll(() => here.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('combobox', { name: 'Type after the move' }).click()
    await page.getByRole('option', { name: /^archive/ }).click()
    await expect.poll(() => here.getAttribute('aria-disabled')).toBe('false')
    await here.check()
    await page.getByRole('button', { name: 'Begin the move' }).click()
    await page.getByRole('definition').filter({ hasText: 'archive' }).waitFor()
    expect((await shareOf(id)).host).toBe(host)
  })

  test('is cancelled, and the share stays where it is', async () => {
    const { host } = await shareOf(RESULTS)
    const page = await open(`/shares/${RESULTS}`, { scheme: 'dark' })
    const moving = page.getByRole('region', { name: 'It is being moved' })
    await expect.poll(() => textOf(moving)).toMatch(/filer@nas-b#disks → filer@nas-c#disks/)
    await expectAccessible(page)
    await moving.getByRole('button', { name: 'Cancel the move' }).click()
    await stateIs(page, 'the last move was cancelled')
    expect((await shareOf(RESULTS)).host).toBe(host)
  })
})

describe('a user who may little', () => {
  test('sees the shares of the project, not where they are, and controls that say why they are off', async () => {
    const page = await open('/shares', { token: READER })
    const grid = page.getByRole('grid', { name: 'Shares' })
    await grid.getByRole('link', { name: 'shop-db-1' }).waitFor()
    await expect.poll(() => page.getByRole('columnheader', { name: 'Pool' }).count()).toBe(0)
    const make = page.getByRole('button', { name: /^New share/ })
    await expect.poll(() => make.textContent()).toContain('share:create')
    await expectAccessible(page)
    await grid.getByRole('link', { name: 'shop-db-1' }).click()
    for (const name of [/^Change size/, /^Move/, /^Delete/, /^Take a snapshot/, /^Give access/, /^Set/])
      await expect.poll(() => page.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
    await expect
      .poll(() => textOf(page.getByRole('list', { name: 'Near: on the same back end' })))
      .toContain('on the same back end')
    await expect.poll(() => page.getByRole('main').textContent()).not.toMatch(/filer@/)
    await expectAccessible(page)
    for (const path of ['/shares/new', `/shares/${DB1}/move`]) {
      await page.goto(`${server.url}${path}`)
      await page.getByRole('heading', { name: /^You need (the role|one of the roles) / }).waitFor()
    }
  })
})

describe('a cloud without shares', () => {
  const bare = stage('--auth', 'noauth2')

  test('teaches what has to come first: back ends, then types, then a share', async () => {
    const page = await bare.open('/shares')
    await page.getByRole('heading', { name: 'There is no share back end yet' }).waitFor()
    await expect.poll(() => textOf(page.getByRole('main'))).toContain('backends.json')
    await expectAccessible(page)
    const backends = [{ name: 'one', pools: [{ name: 'p', total_gb: 10 }] }]
    await bare.server.ask('POST', '/v1/apply', { shares: { host: 'farm', backends } })
    await page.getByRole('heading', { name: 'There is no share type yet' }).waitFor()
    await bare.server.ask('POST', '/share/v2/types', {
      share_type: { name: 'plain', extra_specs: { driver_handles_share_servers: 'False' } },
    })
    await page.getByRole('link', { name: 'Make the first one' }).click()
    await page.getByRole('heading', { name: 'New share', level: 1 }).waitFor()
    await expectAccessible(page)
  })
})
