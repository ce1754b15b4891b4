/** Flavors, aggregates, hosts and definitions, as their owners edit them. */
import assert from 'node:assert/strict'
import type { Dashboard } from './dashboard.ts'
import type { Story } from './panels.ts'

const OPERATOR_KEY = 'capabilities:free_ram_mb'

/** The dialog of metadata: what exists, and what definitions offer. */
class MetadataDialog {
  readonly #dashboard: Dashboard

  private constructor(dashboard: Dashboard) {
    this.#dashboard = dashboard
  }

  static async open(dashboard: Dashboard, row: string): Promise<MetadataDialog> {
    await dashboard.act(dashboard.row(row), 'Update Metadata')
    const dialog = new MetadataDialog(dashboard)
    await dialog.root.getByText('Existing Metadata', { exact: true }).waitFor()
    // The definitions arrive after the frame.
    await dialog.root.locator('.panel').first().locator('.level-0').first().waitFor()
    return dialog
  }

  get root() {
    return this.#dashboard.page.locator('.modal-dialog')
  }

  get offered() {
    return this.root.locator('.panel').nth(0)
  }

  get existing() {
    return this.root.locator('.panel').nth(1)
  }

  field(key: string) {
    return this.existing.locator('li', { hasText: key }).locator('input, select').first()
  }

  async add(key: string, value: string): Promise<void> {
    await this.offered.locator('input[name="customItem"]').fill(key)
    await this.offered.locator('button.btn-primary').first().click()
    await this.field(key).fill(value)
  }

  get saveButton() {
    return this.root.locator('.modal-footer .btn-primary')
  }

  async save(): Promise<void> {
    const written = this.#dashboard.page.waitForResponse(
      answer => /metadata|extra-specs/.test(answer.url()) && answer.request().method() !== 'GET',
    )
    await this.saveButton.click()
    assert.ok((await written).ok())
    await this.root.waitFor({ state: 'detached' })
  }

  async cancel(): Promise<void> {
    await this.root.locator('.modal-footer .btn-default').click()
    await this.root.waitFor({ state: 'detached' })
  }
}

export const flavors: Story = async ({ dashboard, claim, ask }) => {
  const specsOf = async (name: string): Promise<Record<string, string>> => {
    const { flavors: all } = await ask('GET', '/compute/v2.1/flavors/detail?is_public=None')
    const { id } = all.find((one: { name: string }) => one.name === name)
    return (await ask('GET', `/compute/v2.1/flavors/${id}/os-extra_specs`)).extra_specs
  }
  await ask('POST', '/compute/v2.1/flavors', {
    flavor: { name: 'd1.edit', id: 'd1-edit', ram: 1024, vcpus: 1, disk: 10 },
  })
  await ask('POST', '/compute/v2.1/flavors/d1-edit/os-extra_specs', {
    extra_specs: { [OPERATOR_KEY]: '>= 4096', 'hw:cpu_sockets': '2' },
  })
  await dashboard.open('/admin/flavors/')
  await claim('the list has the flavors of the demo', () => dashboard.shows('v1.vault', 'm1.large'))
  await claim('a flavor is created in the form', async () => {
    await dashboard.open('/admin/flavors/create/')
    const { page } = dashboard
    await page.fill('#id_name', 'd1.form')
    await page.fill('#id_vcpus', '3')
    await page.fill('#id_memory_mb', '3072')
    await page.fill('#id_disk_gb', '30')
    await page.locator('form input[type=submit], form .btn-primary').last().click()
    await dashboard.shows('d1.form')
    const { flavors: all } = await ask('GET', '/compute/v2.1/flavors/detail')
    const made = all.find((one: { name: string }) => one.name === 'd1.form')
    assert.deepEqual([made.vcpus, made.ram, made.disk], [3, 3072, 30])
  })
  await dashboard.open('/admin/flavors/')
  let dialog = await MetadataDialog.open(dashboard, 'd1.edit')
  await claim('the metadata dialog offers the definitions for flavors', async () => {
    for (const name of [
      'Host facts',
      'Guest CPU policy',
      'Traits, required, forbidden, preferred or avoided',
    ])
      await dialog.offered.getByText(name, { exact: true }).first().waitFor()
  })
  await claim('a value with an operator is shown whole', async () => {
    assert.equal(await dialog.field(OPERATOR_KEY).inputValue(), '>= 4096')
  })
  await claim('saved untouched, every value stays what it was', async () => {
    await dialog.save()
    assert.deepEqual(await specsOf('d1.edit'), { [OPERATOR_KEY]: '>= 4096', 'hw:cpu_sockets': '2' })
  })
  dialog = await MetadataDialog.open(dashboard, 'd1.edit')
  await claim('a value that does not fit its definition cannot be saved', async () => {
    await dialog.field(OPERATOR_KEY).fill('>= lots')
    assert.equal(await dialog.saveButton.isDisabled(), true)
  })
  await claim('another operator can be saved, and a key of one’s own', async () => {
    await dialog.field(OPERATOR_KEY).fill('<= 8192')
    await dialog.add('colour', '<or> red <or> blue')
    await dialog.save()
    assert.deepEqual(await specsOf('d1.edit'), {
      [OPERATOR_KEY]: '<= 8192',
      'hw:cpu_sockets': '2',
      colour: '<or> red <or> blue',
    })
  })
  dialog = await MetadataDialog.open(dashboard, 'd1.edit')
  await claim('a defined key is taken over from the left', async () => {
    await dialog.offered.getByText('Guest CPU policy', { exact: true }).click()
    const item = dialog.offered.locator('li.level-1, li.level-2', { hasText: 'CPU policy' }).first()
    await item.locator('.btn-primary').click()
    await dialog.existing.getByText('hw:cpu_policy').first().waitFor()
    await dialog.field('hw:cpu_policy').selectOption({ label: 'dedicated' }, { force: true })
    await dialog.save()
    assert.equal((await specsOf('d1.edit'))['hw:cpu_policy'], 'dedicated')
  })
  await claim('a flavor is deleted from its menu', async () => {
    await dashboard.open('/admin/flavors/')
    await dashboard.act(dashboard.row('d1.form'), 'Delete Flavor')
    await dashboard.confirm()
    await dashboard.shows(/Deleted Flavor/)
  })
}

export const aggregates: Story = async ({ dashboard, claim, ask }) => {
  const findAggregate = async (name: string) => {
    const all = (await ask('GET', '/compute/v2.1/os-aggregates')).aggregates
    return all.find((one: { name: string }) => one.name === name)
  }
  await dashboard.open('/admin/aggregates/')
  await claim('aggregates and their zones are listed', () =>
    dashboard.shows('gpu hosts', 'zone a', 'certified hosts'),
  )
  let dialog = await MetadataDialog.open(dashboard, 'gpu hosts')
  await claim('force_metadata_check has a value that its definition offers', async () => {
    const field = dialog.field('force_metadata_check')
    assert.equal(
      await field.evaluate(
        one => (one as { selectedOptions?: ArrayLike<{ label: string }> }).selectedOptions?.[0]?.label,
      ),
      'True',
    )
  })
  await claim('saved untouched, the metadata stays what it was', async () => {
    const before = (await findAggregate('gpu hosts')).metadata
    await dialog.save()
    assert.deepEqual((await findAggregate('gpu hosts')).metadata, before)
  })
  dialog = await MetadataDialog.open(dashboard, 'rack a1')
  await claim('metadata with sentinels is written as it is', async () => {
    await dialog.add('tier', '<or> gold <or> ~')
    await dialog.save()
    assert.equal((await findAggregate('rack a1')).metadata.tier, '<or> gold <or> ~')
  })
  await claim('an aggregate is renamed in its form', async () => {
    const { id } = await findAggregate('rack c3')
    await dashboard.open(`/admin/aggregates/${id}/update/`)
    await dashboard.page.fill('#id_name', 'rack c3 renamed')
    await dashboard.page.locator('form input[type=submit], form .btn-primary').last().click()
    await dashboard.shows(/Successfully updated aggregate/i)
    assert.notEqual(await findAggregate('rack c3 renamed'), undefined)
  })
  await claim('the hosts of an aggregate can be managed', async () => {
    const { id } = await findAggregate('certified hosts')
    await dashboard.opensQuietly(`/admin/aggregates/${id}/manage_hosts/`)
    await dashboard.shows('gp-a1-01')
  })
}

export const hosts: Story = async ({ dashboard, claim, ask }) => {
  await claim('all hypervisors are listed with their figures', async () => {
    await dashboard.open('/admin/hypervisors/')
    await dashboard.shows(/Displaying \d+ items/, 'gp-a1-01')
  })
  await claim('the page of a hypervisor lists its servers', async () => {
    const { hypervisors } = await ask('GET', '/compute/v2.1/os-hypervisors')
    const { id, hypervisor_hostname } = hypervisors[0]
    await dashboard.opensQuietly(`/admin/hypervisors/${id}_${hypervisor_hostname}/`)
  })
  await claim('servers of all projects are listed with host, size and state', async () => {
    await dashboard.open('/admin/instances/')
    await dashboard.shows(/held-\d+-\d+-\d+/, 'Active')
  })
  await claim('the page of a server opens', async () => {
    const { servers } = await ask('GET', '/compute/v2.1/servers?all_tenants=1&limit=1')
    await dashboard.open(`/admin/instances/${servers[0].id}/detail`)
    await dashboard.shows(servers[0].id)
  })
  await claim('usage of projects adds up what servers hold', async () => {
    await dashboard.open('/admin/')
    await dashboard.shows(/Active Instances/)
  })
  await claim('system information lists services and their endpoints', async () => {
    await dashboard.open('/admin/info/')
    for (const type of ['sharev2', 'placement']) await dashboard.row(type).waitFor()
  })
}

const NAMESPACE = {
  namespace: 'Acme::Racks',
  display_name: 'Racks of the lab',
  description: 'Where things stand.',
  visibility: 'public',
  protected: false,
  resource_type_associations: [{ name: 'OS::Nova::Aggregate' }],
  properties: { row: { title: 'Row', description: 'The row.', type: 'string', enum: ['north', 'south'] } },
}

export const definitions: Story = async ({ dashboard, claim, ask }) => {
  await claim('the built-in definitions are listed', async () => {
    await dashboard.open('/admin/metadata_defs/')
    await dashboard.shows('Checks of flavors', 'Host facts', 'OS::Nova::Flavor')
  })
  await claim('the page of a namespace shows what is in it', async () => {
    await dashboard.opensQuietly('/admin/metadata_defs/Berth::Flavor::CapabilitiesHost/detail')
    await dashboard.shows('Berth::Flavor::CapabilitiesHost')
  })
  await claim('a namespace is imported from its text', async () => {
    await dashboard.open('/admin/metadata_defs/create/')
    const { page } = dashboard
    await page.locator('#id_source_type').selectOption('raw', { force: true })
    await page.fill('#id_direct_input', JSON.stringify(NAMESPACE))
    await page.locator('label[for=id_public]').click()
    await page.locator('form input[type=submit], form .btn-primary').last().click()
    await dashboard.shows('Namespace Acme::Racks has been created.')
    const { properties } = await ask('GET', '/image/v2/metadefs/namespaces/Acme::Racks')
    assert.deepEqual(properties.row.enum, ['north', 'south'])
  })
  await claim('what was imported is offered for aggregates', async () => {
    await dashboard.open('/admin/aggregates/')
    const dialog = await MetadataDialog.open(dashboard, 'rack a2')
    await dialog.offered.getByText('Racks of the lab').waitFor()
    await dialog.cancel()
  })
  await claim('a namespace is deleted', async () => {
    await dashboard.open('/admin/metadata_defs/')
    await dashboard.act(dashboard.row('Racks of the lab'), 'Delete Namespace')
    await dashboard.confirm()
    await dashboard.shows(/Deleted Namespace/)
  })
}
