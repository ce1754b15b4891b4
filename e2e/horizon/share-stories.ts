/** Shares: a member creates them, an admin moves them. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dashboard } from './dashboard.ts'
import type { Story } from './panels.ts'

const SHARES = '/share/v2/shares'
const SETTLED_MS_MAX = 20_000

type Ask = Parameters<Story>[0]['ask']

/** A share by its name, once it is in a stable state. */
async function settled(ask: Ask, name: string) {
  for (const endMs = Date.now() + SETTLED_MS_MAX; Date.now() < endMs; await sleep(100)) {
    const { shares } = await ask('GET', `${SHARES}/detail?all_tenants=1&name=${name}`)
    if (shares.length > 0 && /^(available|error)$/.test(shares[0].status)) return shares[0]
  }
  throw new Error(`the share ${name} did not settle`)
}

interface NewShare {
  readonly name: string
  readonly metadata?: string
  readonly near?: readonly string[]
  readonly away?: readonly string[]
}

async function fillCreate(dashboard: Dashboard, share: NewShare): Promise<void> {
  const { page } = dashboard
  await dashboard.open('/project/shares/create/')
  await page.fill('#id_name', share.name)
  await page.fill('#id_size', '1')
  await page.locator('#id_share_type').selectOption({ label: 'standard' }, { force: true })
  if (share.metadata !== undefined) await page.fill('#id_metadata', share.metadata)
  for (const [field, names] of [
    ['#id_keep_near', share.near ?? []],
    ['#id_keep_away', share.away ?? []],
  ] as const)
    if (names.length > 0) await page.locator(field).selectOption(names.map(label => ({ label })))
  await sendForm(dashboard)
}

async function sendForm({ page }: Dashboard): Promise<void> {
  await page.locator('form input[type=submit], form .btn-primary[type=submit]').last().click()
}

async function create(dashboard: Dashboard, share: NewShare): Promise<void> {
  await fillCreate(dashboard, share)
  await dashboard.shows(`Creating share "${share.name}"`)
}

const backendOf = ({ host }: { host: string }): string => host.split('#')[0] as string

export const shareTypes: Story = async ({ dashboard, claim, ask }) => {
  const typeOf = async (name: string) => {
    const { share_types: all } = await ask('GET', '/share/v2/types?is_public=all')
    return all.find((one: { name: string }) => one.name === name)
  }
  await claim('the types of the demo are listed', async () => {
    await dashboard.open('/admin/share_types/')
    await dashboard.shows('standard', 'archive', 'fast')
  })
  await claim('a type is created with extra specs', async () => {
    await dashboard.open('/admin/share_types/create_type')
    await dashboard.page.fill('#id_name', 'lab')
    await dashboard.page
      .locator('#id_spec_driver_handles_share_servers')
      .selectOption('False', { force: true })
    await dashboard.page.fill('#id_extra_specs', 'snapshot_support=True')
    await sendForm(dashboard)
    await dashboard.shows(/Successfully created share type/)
    assert.equal((await typeOf('lab')).extra_specs.snapshot_support, 'True')
  })
  await claim('its extra specs are changed, with an operator', async () => {
    await dashboard.open(`/admin/share_types/update_type/${(await typeOf('lab')).id}/extra_specs`)
    await dashboard.page.fill('#id_extra_specs', 'free_capacity_gb=>= 10\r\nsnapshot_support=True')
    await sendForm(dashboard)
    await dashboard.shows(/Successfully updated extra specs/)
    assert.equal((await typeOf('lab')).extra_specs.free_capacity_gb, '>= 10')
  })
  await claim('a type is deleted', async () => {
    await dashboard.open('/admin/share_types/')
    await dashboard.act(dashboard.row('lab'), 'Delete Share Type')
    await dashboard.confirm()
    await dashboard.shows(/Deleted Share Type/)
    assert.equal(await typeOf('lab'), undefined)
  })
}

export const memberShares: Story = async ({ dashboard, claim, ask }) => {
  await claim('a share is created, and available', async () => {
    await create(dashboard, { name: 'papers', metadata: 'team=lab' })
    const share = await settled(ask, 'papers')
    assert.deepEqual([share.status, share.size, share.metadata], ['available', 1, { team: 'lab' }])
  })
  await claim('hints in the metadata box are refused, with the reason and what to do', async () => {
    const { id } = await settled(ask, 'papers')
    await fillCreate(dashboard, { name: 'nearby', metadata: `__affinity_same_host=${id}` })
    await dashboard.shows(/__affinity_same_host is a scheduler hint/, /scheduler hint same_host/)
  })
  await claim('Keep near puts a share on the same back end', async () => {
    await create(dashboard, { name: 'copies', near: ['papers'] })
    assert.equal(backendOf(await settled(ask, 'copies')), backendOf(await settled(ask, 'papers')))
  })
  await claim('Keep away puts a share on another', async () => {
    await create(dashboard, { name: 'mirror', away: ['papers'] })
    assert.notEqual(backendOf(await settled(ask, 'mirror')), backendOf(await settled(ask, 'papers')))
  })
  await claim('one share cannot be in both', async () => {
    await fillCreate(dashboard, { name: 'torn', near: ['papers'], away: ['papers'] })
    await dashboard.shows(/No share can be near and away from the same: papers/)
  })
  await claim('the hints are in the metadata of both shares', async () => {
    const [papers, copies] = [await settled(ask, 'papers'), await settled(ask, 'copies')]
    assert.equal(copies.metadata.__affinity_same_host, papers.id)
    assert.equal(papers.metadata.__affinity_same_host, copies.id)
  })
  await claim('the list has the shares of the project, and no others', async () => {
    await dashboard.open('/project/shares/')
    await dashboard.shows('papers', 'copies', 'mirror')
    assert.equal(await dashboard.page.getByText('genomes-results').count(), 0)
  })
  await claim('the page of a share has its metadata and where it is exported', async () => {
    const { id } = await settled(ask, 'papers')
    await dashboard.opensQuietly(`/project/shares/${id}/`)
    await dashboard.shows('papers', /Export locations/i, /team/)
  })
  await claim('metadata is changed in its form', async () => {
    const { id } = await settled(ask, 'mirror')
    await dashboard.open(`/project/shares/${id}/update_metadata/`)
    await dashboard.page.fill('#id_metadata', 'team=archive')
    await sendForm(dashboard)
    await dashboard.shows(/Updating share metadata "mirror"/)
    assert.equal((await settled(ask, 'mirror')).metadata.team, 'archive')
  })
  await claim('a share is extended', async () => {
    const { id } = await settled(ask, 'copies')
    await dashboard.open(`/project/shares/${id}/resize/`)
    await dashboard.page.fill('#id_new_size', '2')
    await sendForm(dashboard)
    await dashboard.shows(/Resized share "copies"/)
    assert.equal((await settled(ask, 'copies')).size, 2)
  })
  await claim('a share is deleted from its menu', async () => {
    await dashboard.open('/project/shares/')
    await dashboard.act(dashboard.row('mirror'), 'Delete Share')
    await dashboard.confirm()
    await dashboard.shows(/Deleted Share: mirror/)
  })
}

/** The access rules of the share `papers`. */
export const access: Story = async ({ dashboard, claim, ask }) => {
  const { id } = await settled(ask, 'papers')
  const rules = async () => (await ask('GET', `/share/v2/share-access-rules?share_id=${id}`)).access_list
  const add = async (address: string, metadata = '') => {
    await dashboard.open(`/project/shares/${id}/rule_add/`)
    await dashboard.page.fill('#id_access_to', address)
    await dashboard.page.fill('#id_metadata', metadata)
    await sendForm(dashboard)
  }
  await claim('a rule for addresses is added, with metadata', async () => {
    await add('10.0.0.0/24', 'who=lab')
    await dashboard.shows(/Creating rule for/)
    const [{ access_to, access_type, access_level, metadata }] = await rules()
    assert.deepEqual(
      [access_to, access_type, access_level, metadata],
      ['10.0.0.0/24', 'ip', 'rw', { who: 'lab' }],
    )
  })
  await claim('the rules of a share are listed', async () => {
    await dashboard.opensQuietly(`/project/shares/${id}/rules/`)
    await dashboard.shows('10.0.0.0/24')
  })
  await claim('an invalid address is refused', async () => {
    await add('10.0.0.999')
    assert.equal((await rules()).length, 1)
  })
  await claim('the page of a share shows who may use it', async () => {
    await dashboard.opensQuietly(`/project/shares/${id}/`)
    await dashboard.shows('10.0.0.0/24')
  })
  await claim('a rule is deleted from the list', async () => {
    await dashboard.open(`/project/shares/${id}/rules/`)
    await dashboard.act(dashboard.row('10.0.0.0/24'), 'Delete Rule')
    await dashboard.confirm()
    await dashboard.shows(/Deleted Rule/)
  })
}

export const adminShares: Story = async ({ dashboard, claim, ask }) => {
  await claim('shares of all projects are listed with their hosts', async () => {
    await dashboard.open('/admin/shares/')
    await dashboard.shows('papers', 'homes', /filer@nas-/)
  })
  await claim('an admin edits a hint as metadata', async () => {
    const [papers, copies] = [await settled(ask, 'papers'), await settled(ask, 'copies')]
    await ask('DELETE', `${SHARES}/${copies.id}/metadata/__affinity_same_host`)
    await dashboard.open(`/project/shares/${copies.id}/update_metadata/`)
    await dashboard.page.fill('#id_metadata', `__affinity_same_host=${papers.id}`)
    await sendForm(dashboard)
    await dashboard.shows(/Updating share metadata "copies"/)
    assert.equal((await settled(ask, 'copies')).metadata.__affinity_same_host, papers.id)
    await ask('DELETE', `${SHARES}/${copies.id}/metadata/__affinity_same_host`)
    await ask('DELETE', `${SHARES}/${papers.id}/metadata/__affinity_same_host`)
  })
  await claim('a share is migrated to a pool of the list', async () => {
    const before = await settled(ask, 'papers')
    await dashboard.open(`/admin/shares/migration_start/${before.id}`)
    const { page } = dashboard
    const pools = await page
      .locator('#id_host option')
      .evaluateAll(all => all.map(one => one.getAttribute('value') ?? ''))
    const target = pools.find(pool => pool !== '' && pool.split('#')[0] !== backendOf(before))
    await page.locator('#id_host').selectOption(target ?? '', { force: true })
    for (const flag of ['writable', 'preserve_metadata', 'preserve_snapshots', 'nondisruptive'])
      await page.locator(`label[for=id_${flag}]`).click()
    await sendForm(dashboard)
    await dashboard.shows(/Successfully sent the request to migrate share/)
  })
  await claim('the migration is completed from its form, and the share is elsewhere', async () => {
    const { shares } = await ask('GET', `${SHARES}/detail?all_tenants=1&name=papers`)
    const [before] = shares
    for (let tries = 0; tries < 100; tries++) {
      const share = (await ask('GET', `${SHARES}/${before.id}`)).share
      if (
        share.task_state === 'data_copying_completed' ||
        share.task_state === 'migration_driver_phase1_done'
      )
        break
      await sleep(100)
    }
    await dashboard.open(`/admin/shares/migration_complete/${before.id}`)
    await sendForm(dashboard)
    await dashboard.shows(/Successfully sent the request to complete migration/)
    assert.notEqual(backendOf(await settled(ask, 'papers')), backendOf(before))
  })
  await claim('user messages report failures', () => dashboard.opensQuietly('/admin/user_messages/'))
}
