import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

type Specs = Record<string, string>
interface Named {
  id: string
  name: string
  extra_specs: Specs
}

async function madeFlavor(name: string, extra_specs: Specs = {}): Promise<string> {
  const flavor = { name, ram: 512, vcpus: 1, disk: 1 }
  const { id } = (await server.ask<{ flavor: Named }>('POST', '/compute/v2.1/flavors', { flavor })).flavor
  // Without a version: newer ones refuse some of what is to be shown here.
  if (Object.keys(extra_specs).length > 0)
    await fetch(`${server.url}/compute/v2.1/flavors/${id}/os-extra_specs`, {
      method: 'POST',
      headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
      body: JSON.stringify({ extra_specs }),
    })
  return id
}

const specsOf = async (id: string): Promise<Specs> =>
  (await server.ask<{ extra_specs: Specs }>('GET', `/compute/v2.1/flavors/${id}/os-extra_specs`)).extra_specs

const row = (page: Page, key: string) => page.getByRole('listitem', { name: key, exact: true })
const value = (page: Page, key: string) => row(page, key).getByRole('textbox', { name: /^Value of/ })
const stored = (page: Page, key: string) => row(page, key).getByRole('textbox', { name: /^Text of/ })

async function slow(page: Page, path: string, ms: number): Promise<void> {
  await page.route(`**${path}`, async route => {
    await new Promise(resolve => setTimeout(resolve, ms))
    await route.continue().catch(() => undefined)
  })
}

async function addOwn(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'A key of your own' }).fill(key)
  await page.keyboard.press('Enter')
}

async function chooseOperator(page: Page, key: string, symbol: string): Promise<void> {
  await row(page, key)
    .getByRole('combobox', { name: /^Operator of/ })
    .click()
  await page.getByRole('option', { name: new RegExp(`^${symbol} `) }).click()
}

const TIER = 'aggregate_instance_extra_specs:tier'
const RACK = 'aggregate_instance_extra_specs:rack'

describe('the metadata editor, with a server that takes its time', () => {
  test('keeps every letter that is typed', async () => {
    const page = await open(`/flavors/${await madeFlavor('e1.letters', { [TIER]: 'a' })}`)
    await stored(page, TIER).waitFor()
    await slow(page, '/v1/operators/*', 400)
    await value(page, TIER).fill('')
    await value(page, TIER).pressSequentially('gold and silver', { delay: 25 })
    await expect.poll(() => value(page, TIER).inputValue()).toBe('gold and silver')
    await expect.poll(() => stored(page, TIER).inputValue()).toBe('gold and silver')
    await chooseOperator(page, TIER, 's==')
    await value(page, TIER).fill('')
    await value(page, TIER).pressSequentially('lead', { delay: 150 })
    await expect.poll(() => stored(page, TIER).inputValue()).toBe('s== lead')
    await expect.poll(() => value(page, TIER).inputValue()).toBe('lead')
  })

  test('keeps what is typed at another key while a form is written', async () => {
    const page = await open(`/flavors/${await madeFlavor('e1.both', { [TIER]: 'gold', [RACK]: 'a' })}`)
    await stored(page, TIER).waitFor()
    await slow(page, '/v1/operators/format', 900)
    await chooseOperator(page, TIER, '<or>')
    await value(page, RACK).fill('b7')
    await expect.poll(() => stored(page, TIER).inputValue()).toBe('<or> gold')
    await expect.poll(() => value(page, RACK).inputValue()).toBe('b7')
  })

  test('what is typed by hand wins over a form that comes late, and over what it said', async () => {
    const page = await open(`/flavors/${await madeFlavor('e1.late', { [TIER]: 'gold' })}`)
    await stored(page, TIER).waitFor()
    await slow(page, '/v1/operators/format', 900)
    const answered = page.waitForResponse('**/v1/operators/format')
    await chooseOperator(page, TIER, '<or>')
    const save = page.getByRole('button', { name: /^Save/ })
    await expect.poll(() => textOf(save)).toContain(`What was chosen for ${TIER} is not written yet.`)
    await stored(page, TIER).fill('mine')
    await answered
    await page.getByRole('button', { name: 'Save 1 change', exact: true }).waitFor()
    await expect.poll(() => stored(page, TIER).inputValue()).toBe('mine')
    await expect.poll(() => value(page, TIER).inputValue()).toBe('mine')
  })

  test('is not saved while an operator has no value, and undo takes that away too', async () => {
    const page = await open(`/flavors/${await madeFlavor('e1.open')}`)
    await addOwn(page, TIER)
    await stored(page, TIER).waitFor()
    await chooseOperator(page, TIER, '<or>')
    const save = page.getByRole('button', { name: /^Save/ })
    await expect.poll(() => textOf(save)).toContain(`${TIER} has the operator <or> and no value yet.`)
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo all' }).click()
    await expect.poll(() => row(page, TIER).count()).toBe(0)
    await expect.poll(() => textOf(save)).toContain('Nothing was changed.')
  })
})

describe('the metadata editor', () => {
  test('a key that is there is not blanked by naming it again; one of the catalog starts with its value', async () => {
    const page = await open(`/flavors/${await madeFlavor('e1.own', { 'hw:cpu_policy': 'dedicated' })}`)
    await row(page, 'hw:cpu_policy').waitFor()
    await addOwn(page, 'hw:cpu_policy')
    await page.getByRole('status').filter({ hasText: 'hw:cpu_policy is there already' }).waitFor()
    await expect
      .poll(() => row(page, 'hw:cpu_policy').evaluate(one => one === document.activeElement))
      .toBe(true)
    const policy = page.getByRole('combobox', { name: 'Value of hw:cpu_policy' })
    await expect.poll(() => policy.inputValue()).toBe('dedicated')
    await addOwn(page, 'hw:mem_page_size')
    await row(page, 'hw:mem_page_size').waitFor()
    await addOwn(page, 'hw:cpu_thread_policy')
    const thread = page.getByRole('combobox', { name: 'Value of hw:cpu_thread_policy' })
    await expect.poll(() => thread.inputValue()).not.toBe('')
    await addOwn(page, 'hw:cpu_polcy')
    const use = row(page, 'hw:cpu_polcy').getByRole('button', { name: /^Use hw:cpu_policy/ })
    await expect.poll(() => textOf(use)).toContain('hw:cpu_policy is there already.')
  })

  test('shows what the server says of what was saved, for flavors and for aggregates', async () => {
    const aggregates = '/compute/v2.1/os-aggregates'
    type Made = { aggregate: { id: number } }
    const { aggregate } = await server.ask<Made>('POST', aggregates, { aggregate: { name: 'warned' } })
    const metadata = { force_metadata_check: 'true', tier: 'gold' }
    await server.ask('POST', `${aggregates}/${aggregate.id}/action`, { set_metadata: { metadata } })
    const flavor = await madeFlavor('e1.warned', { tier: 'gold' })
    for (const path of [`/flavors/${flavor}`, `/aggregates/${aggregate.id}`]) {
      const page = await open(path)
      await stored(page, 'tier').fill('<or> ! <or> *')
      await row(page, 'tier').getByRole('note').filter({ hasText: '! excludes *' }).waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page
        .getByRole('status')
        .filter({ hasText: 'tier = "<or> ! <or> *": ! excludes * and ~' })
        .waitFor()
    }
  })

  test('words that nobody reads are named before the form drops them', async () => {
    const key = 'capabilities:vcpus_total'
    const id = await madeFlavor('e1.words', { [key]: '>= 4 or so' })
    const page = await open(`/flavors/${id}`)
    await expect.poll(() => textOf(row(page, key))).toContain('“or so”')
    await expect.poll(() => stored(page, key).inputValue()).toBe('>= 4 or so')
    await expectAccessible(page)
    await row(page, key).getByRole('button', { name: 'Make it >= 4' }).click()
    await expect.poll(() => stored(page, key).inputValue()).toBe('>= 4')
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await expect.poll(() => specsOf(id)).toEqual({ [key]: '>= 4' })
  })

  test('who may only read is told why, wherever something is off', async () => {
    const id = await madeFlavor('e1.read', { 'hw:cpu_policy': 'dedicated' })
    const page = await open(`/flavors/${id}`, { token: 'joe:shop:reader' })
    const why = 'The policy does not allow os_compute_api:os-flavor-extra-specs:create'
    const remove = page.getByRole('button', { name: /^Remove hw:cpu_policy/ })
    await remove.waitFor()
    await expect.poll(() => remove.getAttribute('aria-label')).toContain(why)
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => textOf(page.getByRole('button', { name: /^Add ?\. Not/ }))).toContain(why)
    await page.getByRole('textbox', { name: 'Search available keys' }).fill('hw:numa_nodes')
    const numa = page.getByRole('button', { name: 'Add hw:numa_nodes', exact: true })
    await expect.poll(() => numa.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => numa.getAttribute('title')).toContain(why)
    const field = page.getByRole('combobox', { name: 'Value of hw:cpu_policy' })
    await expect.poll(() => field.getAttribute('title')).toContain(why)
    await expectAccessible(page)
  })

  test('hosts are counted with ephemeral disk and swap', async () => {
    const big = { 'OS-FLV-EXT-DATA:ephemeral': 2_000_000, swap: 1024 }
    const { flavor } = await server.ask<{ flavor: Named }>('POST', '/compute/v2.1/flavors', {
      flavor: { name: 'e1.scratch', ram: 512, vcpus: 1, disk: 1, ...big },
    })
    const page = await open(`/flavors/${flavor.id}`)
    const matches = page.getByRole('status').filter({ hasText: 'Matches' })
    await expect.poll(() => textOf(matches)).toMatch(/0 with room|Matches 0 of/)
  })

  test('an address that cannot be undone is no page, and not a broken one', async () => {
    const page = await open('/flavors/50%25')
    await page.getByRole('heading', { name: 'No such flavor' }).waitFor()
    await page.goto(`${server.url}/catalog/namespaces/50%25`)
    await page.getByRole('heading', { name: 'No such namespace' }).waitFor()
  })
})

describe('share types', () => {
  const typeNamed = async (name: string): Promise<Named> => {
    const { share_types } = await server.ask<{ share_types: Named[] }>('GET', '/share/v2/types?is_public=all')
    return share_types.find(one => one.name === name) as Named
  }

  test('are found from the shares, and their extra specs are edited in the words of Manila', async () => {
    const page = await open('/shares')
    await page.getByRole('link', { name: 'Share types' }).click()
    await page.getByRole('grid', { name: 'Share types' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'fast', exact: true }).click()
    await page.getByRole('heading', { name: 'fast', level: 1 }).waitFor()
    const kept = page.getByRole('button', { name: /^Remove driver_handles_share_servers/ })
    await expect.poll(() => kept.getAttribute('aria-label')).toContain('Every share type must have it.')
    await page.getByRole('textbox', { name: 'Search available keys' }).fill('thin_provisioning')
    await page.getByRole('button', { name: 'Add thin_provisioning', exact: true }).click()
    await chooseOperator(page, 'thin_provisioning', '<is>')
    await expect.poll(() => stored(page, 'thin_provisioning').inputValue()).toMatch(/^<is> /)
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await expect
      .poll(async () => (await typeNamed('fast')).extra_specs.thin_provisioning)
      .toMatch(/^<is> [Tt]rue$/)
  })

  test('are linked from the drift report', async () => {
    const { id } = await typeNamed('fast')
    await server.ask('POST', `/share/v2/types/${id}/extra_specs`, { extra_specs: { thin_provisionin: 'x' } })
    const page = await open('/catalog/drift')
    const grid = page.getByRole('grid', { name: 'Findings' })
    await grid.getByRole('button', { name: 'Where' }).click()
    await grid.getByRole('link', { name: 'fast' }).first().click()
    await page.getByRole('heading', { name: 'fast', level: 1 }).waitFor()
    await row(page, 'thin_provisionin').waitFor()
  })
})
