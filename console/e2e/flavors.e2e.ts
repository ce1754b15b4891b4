import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

interface Flavors {
  flavors: { id: string; name: string; extra_specs: Record<string, string> }[]
}

const flavorNamed = async (name: string) => {
  const { flavors } = await server.ask<Flavors>('GET', '/compute/v2.1/flavors/detail')
  return flavors.find(one => one.name === name) as Flavors['flavors'][number]
}

const specsOf = async (name: string) => (await flavorNamed(name)).extra_specs

const setSpecs = async (name: string, extra_specs: Record<string, string>) => {
  const { id } = await flavorNamed(name)
  const answer = await fetch(`${server.url}/compute/v2.1/flavors/${id}/os-extra_specs`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({ extra_specs }),
  })
  expect(answer.status).toBe(200)
  return id
}

const row = (page: Page, key: string) => page.getByRole('listitem', { name: key })

async function addKey(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Search available keys' }).fill(key)
  await page.getByRole('button', { name: `Add ${key}`, exact: true }).click()
}

describe('flavors and the metadata editor', () => {
  test('a flavor for some projects only: they are given access, and lose it', async () => {
    await server.ask('POST', '/compute/v2.1/flavors', {
      flavor: { name: 'p1.secret', ram: 512, vcpus: 1, disk: 1, 'os-flavor-access:is_public': false },
    })
    const page = await open('/flavors')
    await page.getByRole('link', { name: 'p1.secret' }).click()
    const panel = page.getByRole('region', { name: 'Projects that may order it' })
    await panel.getByRole('listitem').filter({ hasText: 'None yet' }).waitFor()
    await panel.getByRole('textbox', { name: 'Project id' }).fill('shop')
    await panel.getByRole('button', { name: 'Give access' }).click()
    await panel.getByRole('button', { name: 'Take access from shop' }).waitFor()
    const seen = async () => {
      const { flavors } = await server.ask<Flavors>('GET', '/compute/v2.1/flavors', undefined, 'joe:shop')
      return flavors.some(({ name }) => name === 'p1.secret')
    }
    expect(await seen()).toBe(true)
    await panel.getByRole('textbox', { name: 'Project id' }).fill('shop')
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    await expectAccessible(page)
    await panel.getByRole('button', { name: 'Give access' }).click()
    await expect.poll(() => textOf(panel.getByRole('alert'))).toContain('shop')
    await panel.getByRole('button', { name: 'Take access from shop' }).click()
    await panel.getByRole('listitem').filter({ hasText: 'None yet' }).waitFor()
    expect(await seen()).toBe(false)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the flavor' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
  })

  test('a flavor is made, looked at and deleted', async () => {
    const page = await open('/flavors')
    await page.getByRole('link', { name: 'm1.small' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New flavor' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('x1.tiny')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create the flavor' }).click()
    await page.getByRole('heading', { name: 'x1.tiny', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the flavor' }).click()
    await page.getByRole('heading', { name: 'Flavors', level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'x1.tiny' }).count()).toBe(0)
  })

  test('a key of the catalog with a string enum takes several values, and the string is shown live', async () => {
    const { id } = await flavorNamed('m1.small')
    const page = await open(`/flavors/${id}`)
    await addKey(page, 'capabilities:cpu_info:vendor')
    const vendor = row(page, 'capabilities:cpu_info:vendor')
    await vendor.getByRole('combobox', { name: /^Operator of/ }).click()
    await page.getByRole('option', { name: /^<or>/ }).click()
    await vendor.getByRole('combobox', { name: /^Values of/ }).fill('AMD')
    await page.keyboard.press('Enter')
    const text = vendor.getByRole('textbox', { name: /^Text of/ })
    await expect.poll(() => text.inputValue()).toBe('<or> Intel <or> AMD')
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await expect
      .poll(() => specsOf('m1.small'))
      .toMatchObject({
        'capabilities:cpu_info:vendor': '<or> Intel <or> AMD',
        'trait:HW_CPU_X86_AVX2': 'required',
      })
  })

  test('an array offers the operators that it declares; the string can be written by hand and is parsed back', async () => {
    const { id } = await flavorNamed('m1.medium')
    const page = await open(`/flavors/${id}`)
    await addKey(page, 'capabilities:cpu_info:features')
    const features = row(page, 'capabilities:cpu_info:features')
    await features.getByRole('combobox', { name: /^Operator of/ }).click()
    const offered = async () => {
      const options = await page.getByRole('option').allTextContents()
      return options.map(one => one.split(' ')[0])
    }
    await expect.poll(offered).toEqual(['is,', '<or>', '<all-in>'])
    await page.getByRole('option', { name: /^<all-in>/ }).click()
    const text = features.getByRole('textbox', { name: /^Text of/ })
    await expect.poll(() => text.inputValue()).toMatch(/^<all-in> /)
    await text.fill('<all-in> aes vmx')
    const operator = features.getByRole('combobox', { name: /^Operator of/ })
    await expect.poll(() => operator.inputValue()).toMatch(/^<all-in>/)
    await expect.poll(() => textOf(features)).toMatch(/aes.*vmx/)
    await text.fill('<or> aes <or> avx')
    await expect.poll(() => operator.inputValue()).toMatch(/^<or>/)
  })

  test('what a dashboard wrote with commas is explained and repaired on demand; untouched it stays', async () => {
    const written = '<or> Intel,AMD'
    const id = await setSpecs('m1.large', { 'capabilities:cpu_info:vendor': written })
    const page = await open(`/flavors/${id}`)
    const vendor = row(page, 'capabilities:cpu_info:vendor')
    const text = vendor.getByRole('textbox', { name: /^Text of/ })
    await expect.poll(() => text.inputValue()).toBe(written)
    await vendor.getByRole('button', { name: 'Make it <or> Intel <or> AMD' }).click()
    await expect.poll(() => text.inputValue()).toBe('<or> Intel <or> AMD')
    await page.getByRole('button', { name: 'Undo all' }).click()
    await expect.poll(() => text.inputValue()).toBe(written)
  })

  test('unknown keys are warned about with the one that was meant; sentinels are explained', async () => {
    const id = await setSpecs('b1.large', {
      'hw:cpu_polcy': 'dedicated',
      'aggregate_instance_extra_specs:tier': '<or> large <or> ~',
    })
    const page = await open(`/flavors/${id}`)
    const tier = row(page, 'aggregate_instance_extra_specs:tier')
    await expect.poll(() => textOf(tier)).toContain('the key may be missing')
    await expectAccessible(page)
    await row(page, 'hw:cpu_polcy').getByRole('button', { name: 'Use hw:cpu_policy' }).click()
    await row(page, 'hw:cpu_policy').getByRole('combobox', { name: 'Value of hw:cpu_policy' }).waitFor()
    await page.getByRole('button', { name: /^Save 2 changes/ }).click()
    await expect
      .poll(() => specsOf('b1.large'))
      .toEqual({
        'trait:HW_CPU_X86_AVX2': 'required',
        'hw:cpu_policy': 'dedicated',
        'aggregate_instance_extra_specs:tier': '<or> large <or> ~',
      })
  })

  test('says how many hosts it matches while it is typed', async () => {
    const { id } = await flavorNamed('n1.fast')
    const page = await open(`/flavors/${id}`)
    const matches = page.getByRole('status').filter({ hasText: 'Matches' })
    await expect.poll(() => textOf(matches)).toMatch(/Matches [1-9]\d* of 60 hosts/)
    await page.getByRole('textbox', { name: 'A key of your own' }).fill('aggregate_instance_extra_specs:rack')
    await page.keyboard.press('Enter')
    const rack = row(page, 'aggregate_instance_extra_specs:rack')
    await rack.getByRole('textbox', { name: /^Value of/ }).fill('a1')
    await expect.poll(() => textOf(matches)).toMatch(/Matches [1-7] of 60 hosts/)
    await rack.getByRole('textbox', { name: /^Value of/ }).fill('nowhere')
    await expect.poll(() => textOf(matches)).toMatch(/Matches 0 of 60 hosts/)
  })

  test('somebody else’s change is shown, and mine are kept on top of it', async () => {
    const { id } = await flavorNamed('r1.large')
    const page = await open(`/flavors/${id}`)
    await addKey(page, 'hw:cpu_policy')
    await setSpecs('r1.large', { 'hw:numa_nodes': '2' })
    await page.getByRole('button', { name: 'Take theirs, reapply mine' }).click()
    await row(page, 'hw:numa_nodes').waitFor()
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await expect
      .poll(() => specsOf('r1.large'))
      .toMatchObject({ 'hw:cpu_policy': 'shared', 'hw:numa_nodes': '2' })
  })
})

describe('aggregates', () => {
  test('one is made, gets a host and metadata, and says which flavors it would take', async () => {
    const page = await open('/aggregates')
    await page.getByRole('link', { name: 'zone a' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New aggregate' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('bank')
    await page.getByRole('button', { name: 'Create the aggregate' }).click()
    await page.getByRole('heading', { name: 'bank', level: 1 }).waitFor()
    await page.getByRole('combobox', { name: 'Add a host' }).fill('gp-a1-01')
    await page.getByRole('option', { name: 'gp-a1-01' }).click()
    await page.getByRole('link', { name: 'gp-a1-01' }).waitFor()
    const takes = page.getByRole('status').filter({ hasText: 'Takes' })
    await expect.poll(() => textOf(takes)).toMatch(/Takes [1-9]\d? of 13 flavors/)
    await page.getByRole('textbox', { name: 'A key of your own' }).fill('tenant')
    await page.keyboard.press('Enter')
    await addKey(page, 'force_metadata_check')
    await row(page, 'tenant')
      .getByRole('textbox', { name: /^(Value|Text) of/ })
      .first()
      .fill('*')
    await expect.poll(() => textOf(row(page, 'tenant'))).toContain('the flavor must have the key')
    await expect.poll(() => textOf(takes)).toMatch(/Takes 0 of 13 flavors/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save 2 changes' }).click()
    type Aggregates = { aggregates: { name: string; metadata: object; hosts: string[] }[] }
    await expect
      .poll(() => server.ask<Aggregates>('GET', '/compute/v2.1/os-aggregates'))
      .toMatchObject({
        aggregates: expect.arrayContaining([
          expect.objectContaining({
            name: 'bank',
            hosts: ['gp-a1-01'],
            metadata: expect.objectContaining({ tenant: '*', force_metadata_check: 'True' }),
          }),
        ]),
      })
    const button = page.getByRole('button', { name: /^Delete/ })
    await expect.poll(() => button.textContent()).toContain('It still has hosts')
    await page.getByRole('button', { name: 'Take gp-a1-01 out' }).click()
    await page.getByRole('dialog', { name: 'Take gp-a1-01 out of bank?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'gp-a1-01' }).waitFor()
    await page.getByRole('button', { name: 'Take gp-a1-01 out' }).click()
    await page.getByRole('button', { name: 'Take the host out' }).click()
    await page.getByText('No host yet.').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the aggregate' }).click()
    await page.getByRole('heading', { name: 'Aggregates', level: 1 }).waitFor()
  })
})
