import { describe, expect, test } from 'vitest'
import { expectAccessible, stage, textOf } from './stage.ts'

const { server, open } = stage('--demo', '--auth', 'noauth2')

const DEFINITION = {
  namespace: 'Acme::Storage',
  visibility: 'public',
  resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'acme:' }],
  properties: { tier: { title: 'Tier', type: 'string', operators: ['<or>'], enum: ['gold', 'silver'] } },
}

describe('the catalog', () => {
  test('is browsed by words and by type', async () => {
    const page = await open('/catalog')
    await page.getByRole('link', { name: 'Berth::Flavor::CPU', exact: true }).waitFor()
    await expectAccessible(page)
    await page.getByRole('textbox', { name: 'Search the catalog' }).fill('numa_nodes')
    await expect.poll(() => page.getByRole('grid').getByRole('link').count()).toBe(1)
    await page.getByRole('link', { name: 'Berth::Guest::NUMA' }).click()
    await page.getByRole('heading', { name: 'Properties' }).waitFor()
    await page.getByRole('rowheader', { name: 'numa_nodes' }).waitFor()
    await expectAccessible(page)
  })

  test('imports after a difference was looked at, and shows the next difference', async () => {
    const page = await open('/catalog/import')
    const apply = page.getByRole('button', { name: /^Import/ })
    await expect.poll(() => apply.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(DEFINITION))
    await page.getByRole('button', { name: 'Show the difference' }).click()
    const report = page.getByRole('region', { name: 'Acme::Storage' })
    await expect.poll(() => textOf(report)).toContain('created')
    await expectAccessible(page)
    await apply.click()
    await page.getByRole('status').filter({ hasText: 'Imported' }).waitFor()
    const changed = {
      ...DEFINITION,
      properties: { tier: { ...DEFINITION.properties.tier, enum: ['gold', 'lead'] } },
    }
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(changed))
    await page.getByRole('combobox', { name: 'A namespace that is there already' }).click()
    await page.getByRole('option', { name: 'Add, and prefer the new' }).click()
    await page.getByRole('button', { name: 'Show the difference' }).click()
    await report.waitFor()
    await expect.poll(() => textOf(report)).toMatch(/changed.*property.*tier.*silver.*lead/s)
  })

  test('malformed definitions are refused with the reason', async () => {
    const page = await open('/catalog/import')
    await page.getByRole('textbox', { name: 'JSON' }).fill('{"namespace": 7}')
    await page.getByRole('button', { name: 'Show the difference' }).click()
    await expect.poll(() => textOf(page.getByRole('alert'))).toContain('HTTP 400')
  })

  test('a namespace is made, gets a property, and is deleted', async () => {
    const page = await open('/catalog')
    await page.getByRole('button', { name: 'New namespace' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme::Network')
    await page.getByRole('textbox', { name: 'Prefix' }).fill('net:')
    await page.getByRole('button', { name: 'Create the namespace' }).click()
    await page.getByRole('heading', { name: 'Acme::Network', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'New property' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('speed')
    await page.getByRole('combobox', { name: 'Values' }).fill('10G')
    await page.keyboard.press('Enter')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save the property' }).click()
    await page.getByRole('row', { name: /speed.*10G/ }).waitFor()
    await page.getByRole('button', { name: 'Edit speed' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Speed of the card')
    await page.getByRole('button', { name: 'Save the property' }).click()
    await page.getByRole('row', { name: /Speed of the card.*10G/ }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the namespace' }).click()
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor()
  })

  test('objects with their properties, and tags, are made, changed and taken away', async () => {
    const page = await open('/catalog')
    await page.getByRole('button', { name: 'New namespace' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme::Backup')
    await page.getByRole('button', { name: 'Create the namespace' }).click()
    await page.getByRole('heading', { name: 'Acme::Backup', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'New object' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('plan')
    await page.getByRole('button', { name: 'Save the object' }).click()
    await page.getByRole('button', { name: 'New property of plan' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('keep')
    await page.getByRole('button', { name: 'Save the property' }).click()
    const plan = page.getByRole('region', { name: 'Object plan' })
    await plan.getByRole('row', { name: /keep.*string/ }).waitFor()
    await page.getByRole('button', { name: 'Edit keep of plan' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Days to keep')
    await page.getByRole('button', { name: 'Save the property' }).click()
    await plan.getByRole('row', { name: /Days to keep/ }).waitFor()
    await page.getByRole('textbox', { name: 'New tag' }).fill('gold')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the tag gold' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove the tag gold' }).click()
    await page.getByRole('button', { name: 'Delete keep of plan' }).click()
    await page.getByRole('dialog', { name: 'Delete keep?' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete the property' }).click()
    await plan.getByRole('heading', { name: 'No property yet' }).waitFor()
    await page.getByRole('button', { name: 'Delete plan' }).click()
    await page.getByRole('button', { name: 'Delete the object' }).click()
    await plan.waitFor({ state: 'detached' })
    await page.getByRole('list', { name: 'Tags' }).getByText('None.').waitFor()
  })

  test('an object keeps what it requires when it is edited', async () => {
    const base = '/image/v2/metadefs/namespaces'
    await server.ask('POST', base, { namespace: 'Acme::Strict' })
    await server.ask('POST', `${base}/Acme::Strict/objects`, {
      name: 'plan',
      required: ['keep', 'where'],
      properties: { keep: { title: 'Keep', type: 'string' }, where: { title: 'Where', type: 'string' } },
    })
    type Shown = { required: string[]; properties: object }
    const required = async () =>
      (await server.ask<Shown>('GET', `${base}/Acme::Strict/objects/plan`)).required
    const page = await open('/catalog/namespaces/Acme%3A%3AStrict')
    await page.getByRole('button', { name: 'Edit where of plan' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Where to')
    await page.getByRole('button', { name: 'Save the property' }).click()
    await page.getByRole('row', { name: /Where to/ }).waitFor()
    expect(await required()).toEqual(['keep', 'where'])
    await page.getByRole('button', { name: 'Delete keep of plan' }).click()
    await page.getByRole('button', { name: 'Delete the property' }).click()
    await expect.poll(() => required()).toEqual(['where'])
  })

  test('a property that becomes an array takes its values along; what is no number is refused', async () => {
    const base = '/image/v2/metadefs/namespaces'
    await server.ask('POST', base, { namespace: 'Acme::Turn' })
    const before = { name: 'speed', title: 'Speed', type: 'string', enum: ['fast', 'slow'] }
    await server.ask('POST', `${base}/Acme::Turn/properties`, before)
    const page = await open('/catalog/namespaces/Acme%3A%3ATurn')
    const toType = async (type: string) => {
      await page.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: type, exact: true }).click()
    }
    await page.getByRole('button', { name: 'Edit speed' }).click()
    await toType('integer')
    const save = page.getByRole('button', { name: /^Save the property/ })
    await expect.poll(() => textOf(save)).toContain('“fast”, “slow” are no whole numbers.')
    await toType('array')
    await save.click()
    await page.getByRole('row', { name: /speed.*array.*fast, slow/ }).waitFor()
    const after = await server.ask<object>('GET', `${base}/Acme::Turn/properties/speed`)
    expect(after).toMatchObject({ type: 'array', items: { type: 'string', enum: ['fast', 'slow'] } })
    expect(after).not.toHaveProperty('enum')
    await page.getByRole('button', { name: 'Delete speed' }).click()
    await page.getByRole('button', { name: 'Delete the property' }).click()
    await page.getByRole('heading', { name: 'No property yet' }).waitFor()
  })

  test('a protected namespace is deleted once its protection is taken away', async () => {
    const page = await open('/catalog/namespaces/Acme%3A%3ABackup')
    const toggle = async () => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await page.getByRole('checkbox', { name: 'Protected from being deleted' }).click()
      await page.getByRole('button', { name: 'Save the namespace' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await toggle()
    const remove = page.getByRole('button', { name: /^Delete/ })
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
    await toggle()
    await expect.poll(() => remove.getAttribute('aria-disabled')).not.toBe('true')
    await remove.click()
    await page.getByRole('button', { name: 'Delete the namespace' }).click()
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor()
  })

  test('who may only read finds everything and changes nothing', async () => {
    const page = await open('/catalog/namespaces/Berth%3A%3AFlavor%3A%3ACPU', { token: 'joe:shop:reader' })
    await page.getByRole('table').first().waitFor()
    for (const name of [/^New property/, /^New object/, /^Edit/, /^Delete/, /^Add the tag/])
      for (const button of await page.getByRole('button', { name }).all()) {
        await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
        const label = (await button.getAttribute('aria-label')) ?? (await button.textContent())
        expect(label).toContain('The policy does not allow')
      }
    await expect.poll(() => page.getByRole('button', { name: /^Edit/ }).count()).toBeGreaterThan(1)
  })

  test('drift is a list of links to where it can be put right', async () => {
    const page = await open('/catalog/drift')
    const grid = page.getByRole('grid', { name: 'Findings' })
    await grid.waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^key-undefined/ }).click()
    await grid.getByRole('link', { name: 'r1.large' }).first().click()
    await page.getByRole('heading', { name: 'r1.large', level: 1 }).waitFor()
  })
})
