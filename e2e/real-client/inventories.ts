import assert from 'node:assert/strict'
import { type Story, uuid } from './story.ts'

const host = uuid(20)
const neighbour = uuid(21)
const aggregate = uuid(920)

const DEFAULTS = { allocation_ratio: 1, min_unit: 1, max_unit: 2_147_483_647, reserved: 0, step_size: 1 }

type Row = Readonly<Record<string, unknown>>
const byClass = (rows: readonly Row[]) =>
  [...rows].sort((a, b) => (String(a.resource_class) < String(b.resource_class) ? -1 : 1))

export const inventories: Story = async ({ at, claim }) => {
  const client = at('1.29')
  for (const provider of [host, neighbour])
    await client.json(`resource provider create inventory-${provider.slice(-2)} --uuid ${provider}`)

  await claim('set replaces all inventories, with defaults for missing fields', async () => {
    const set = `resource provider inventory set ${host} --resource VCPU=16 --resource MEMORY_MB=2048 --resource MEMORY_MB:step_size=128`
    assert.deepEqual(byClass(await client.json(set)), [
      { resource_class: 'MEMORY_MB', ...DEFAULTS, total: 2048, step_size: 128 },
      { resource_class: 'VCPU', ...DEFAULTS, total: 16 },
    ])
  })

  await claim('list and show include the usage', async () => {
    assert.deepEqual(byClass(await client.json(`resource provider inventory list ${host}`)), [
      { resource_class: 'MEMORY_MB', ...DEFAULTS, total: 2048, step_size: 128, used: 0 },
      { resource_class: 'VCPU', ...DEFAULTS, total: 16, used: 0 },
    ])
    assert.deepEqual(await client.json(`resource provider inventory show ${host} VCPU`), {
      ...DEFAULTS,
      total: 16,
      used: 0,
    })
  })

  await claim('class set replaces one record', async () => {
    const set = `resource provider inventory class set ${host} VCPU --total 32 --allocation_ratio 4 --reserved 2 --max_unit 16`
    assert.deepEqual(await client.json(set), {
      ...DEFAULTS,
      total: 32,
      allocation_ratio: 4,
      reserved: 2,
      max_unit: 16,
    })
  })

  await claim('set --amend keeps the other records and fields', async () => {
    const amend = `resource provider inventory set ${host} --amend --resource VCPU:allocation_ratio=8`
    const [memory, vcpu] = byClass(await client.json(amend))
    assert.equal(memory?.total, 2048)
    assert.deepEqual(vcpu, {
      resource_class: 'VCPU',
      ...DEFAULTS,
      total: 32,
      allocation_ratio: 8,
      reserved: 2,
      max_unit: 16,
    })
  })

  await claim('set --amend --dry-run changes nothing', async () => {
    await client.json(`resource provider inventory set ${host} --amend --dry-run --resource VCPU:total=64`)
    assert.equal((await client.json(`resource provider inventory show ${host} VCPU`)).total, 32)
  })

  await claim('set --aggregate writes to every member', async () => {
    for (const provider of [host, neighbour])
      await at('1.1').json(`resource provider aggregate set ${provider} --aggregate ${aggregate}`)
    const rows = await client.json(
      `resource provider inventory set ${aggregate} --aggregate --amend --resource DISK_GB=100`,
    )
    const disks = rows.filter((row: Row) => row.resource_class === 'DISK_GB')
    assert.deepEqual(disks.map((row: Row) => [row.resource_provider, row.total]).sort(), [
      [host, 100],
      [neighbour, 100],
    ])
  })

  await claim('one record, then all of them, are deleted', async () => {
    await client.quiet(`resource provider inventory delete ${host} --resource-class DISK_GB`)
    assert.match(await client.refused(`resource provider inventory show ${host} DISK_GB`), /HTTP 404/)
    await client.quiet(`resource provider inventory delete ${host}`)
    assert.deepEqual(await client.json(`resource provider inventory list ${host}`), [])
  })

  await claim('an unknown class and a reserved above the total are refused', async () => {
    const set = `resource provider inventory set ${host} --resource`
    assert.match(await client.refused(`${set} CUSTOM_NOT_THERE=1`), /CUSTOM_NOT_THERE.*HTTP 400/s)
    assert.match(
      await client.refused(`${set} VCPU=4 --resource VCPU:reserved=5`),
      /Invalid inventory.*HTTP 400/s,
    )
  })

  for (const provider of [host, neighbour]) await client.quiet(`resource provider delete ${provider}`)
}
