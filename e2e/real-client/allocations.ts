import assert from 'node:assert/strict'
import { type Stage, type Story, uuid } from './story.ts'

const host = uuid(40)
const disks = uuid(41)
const consumer = uuid(500)
const early = uuid(501)
const many = uuid(502)

type Row = Readonly<Record<string, unknown>>

export const allocations: Story = async stage => {
  const client = stage.at('1.29')
  await client.json(`resource provider create allocations-host --uuid ${host}`)
  await client.json(`resource provider create allocations-disks --uuid ${disks}`)
  await client.json(`resource provider inventory set ${host} --resource VCPU=8 --resource MEMORY_MB=8192`)
  await client.json(`resource provider inventory set ${disks} --resource DISK_GB=500`)
  await settingByVersion(stage)
  await refusals(stage)
  await usages(stage)
  await givingUp(stage)
  for (const provider of [host, disks]) await client.quiet(`resource provider delete ${provider}`)
}

const set = (who: string, more: string, ...parts: readonly string[]): string =>
  `resource provider allocation set ${who} ${parts.map(part => `--allocation ${part}`).join(' ')} ${more}`
const OWNER = '--project-id e2e-project --user-id e2e-user'
const TYPED = `${OWNER} --consumer-type INSTANCE`

/** Provider to resources. */
const held = (rows: readonly Row[]): Row =>
  Object.fromEntries(rows.map(row => [row.resource_provider, row.resources]))

async function settingByVersion({ at, claim }: Stage): Promise<void> {
  await claim('1.0: a claim needs no owner', async () => {
    const rows = await at('1.0').json(set(early, '', `rp=${host},VCPU=1`))
    assert.deepEqual(held(rows), { [host]: { VCPU: 1 } })
    assert.deepEqual(Object.keys(rows[0]).sort(), ['generation', 'resource_provider', 'resources'])
  })

  await claim('1.14: a claim shows its owner', async () => {
    const [row] = await at('1.14').json(set(early, OWNER, `rp=${host},VCPU=2`))
    assert.deepEqual([row.project_id, row.user_id, row.resources], ['e2e-project', 'e2e-user', { VCPU: 2 }])
  })

  await claim('1.29: a claim over two providers, and its replacement', async () => {
    const client = at('1.29')
    const two = set(consumer, OWNER, `rp=${host},VCPU=2,MEMORY_MB=1024`, `rp=${disks},DISK_GB=50`)
    assert.deepEqual(held(await client.json(two)), {
      [host]: { VCPU: 2, MEMORY_MB: 1024 },
      [disks]: { DISK_GB: 50 },
    })
    const again = set(consumer, OWNER, `rp=${host},VCPU=3,MEMORY_MB=1024`, `rp=${disks},DISK_GB=60`)
    assert.deepEqual(held(await client.json(again))[host], { VCPU: 3, MEMORY_MB: 1024 })
  })

  await claim('1.39: a claim has a type', async () => {
    const client = at('1.39')
    const [row] = await client.json(set(many, TYPED, `rp=${disks},DISK_GB=10`))
    assert.equal(row.consumer_type, 'INSTANCE')
    assert.equal(
      (await client.json(`resource provider allocation show ${many}`))[0].consumer_type,
      'INSTANCE',
    )
  })

  await claim('a provider shows who holds what of it', async () => {
    const shown = await at('1.29').json(`resource provider show ${host} --allocations`)
    assert.deepEqual(shown.allocations[early].resources, { VCPU: 2 })
    assert.deepEqual(shown.allocations[consumer].resources, { VCPU: 3, MEMORY_MB: 1024 })
  })
}

async function refusals({ at, claim }: Stage): Promise<void> {
  const client = at('1.39')

  await claim('a claim above the capacity is refused, and nothing changes', async () => {
    assert.match(
      await client.refused(set(uuid(510), TYPED, `rp=${host},VCPU=4`)),
      /Unable to allocate inventory.*VCPU.*would exceed the capacity.*HTTP 409/s,
    )
    assert.deepEqual(await client.json(`resource provider allocation show ${uuid(510)}`), [])
  })

  await claim('a class that the provider does not have is refused', async () => {
    assert.match(
      await client.refused(set(uuid(510), TYPED, `rp=${disks},VCPU=1`)),
      /Inventory for 'VCPU'.*HTTP 409/s,
    )
  })

  await claim('an unknown provider is refused', async () => {
    assert.match(
      await client.refused(set(uuid(510), TYPED, `rp=${uuid(404)},VCPU=1`)),
      /that does not exist.*HTTP 400/s,
    )
  })

  await claim('an inventory in use is not deleted, nor is its provider', async () => {
    assert.match(await client.refused(`resource provider inventory delete ${host}`), /in use.*HTTP 409/s)
    assert.match(await client.refused(`resource provider delete ${disks}`), /HTTP 409/)
  })

  await claim('a consumer without allocations has nothing to delete', async () => {
    assert.match(await client.refused(`resource provider allocation delete ${uuid(510)}`), /HTTP 404/)
  })
}

async function usages({ at, claim }: Stage): Promise<void> {
  const used = (rows: readonly Row[]) => Object.fromEntries(rows.map(row => [row.resource_class, row.usage]))

  await claim('the usage of a provider is the sum of its claims', async () => {
    const rows = await at('1.0').json(`resource provider usage show ${host}`)
    assert.deepEqual(used(rows), { VCPU: 5, MEMORY_MB: 1024 })
  })

  await claim('the usage of a project, and of one of its users', async () => {
    const client = at('1.29')
    const all = { VCPU: 5, MEMORY_MB: 1024, DISK_GB: 70 }
    assert.deepEqual(used(await client.json('resource usage show e2e-project')), all)
    assert.deepEqual(used(await client.json('resource usage show e2e-project --user-id e2e-user')), all)
    assert.deepEqual(await client.json('resource usage show e2e-project --user-id nobody'), [])
  })

  await claim('1.38 and later: usage by type of consumer', async () => {
    const rows = used(await at('1.39').json('resource usage show e2e-project'))
    assert.deepEqual(rows.INSTANCE, { consumer_count: 1, DISK_GB: 10 })
    assert.deepEqual(rows.unknown, { consumer_count: 2, VCPU: 5, MEMORY_MB: 1024, DISK_GB: 60 })
  })
}

async function givingUp({ at, claim }: Stage): Promise<void> {
  const client = at('1.29')

  await claim('unset --provider releases the allocations there', async () => {
    const rows = await client.json(`resource provider allocation unset ${consumer} --provider ${disks}`)
    assert.deepEqual(held(rows), { [host]: { VCPU: 3, MEMORY_MB: 1024 } })
  })

  await claim('unset --resource-class releases that class', async () => {
    const rows = await client.json(
      `resource provider allocation unset ${consumer} --resource-class MEMORY_MB`,
    )
    assert.deepEqual(held(rows), { [host]: { VCPU: 3 } })
  })

  await claim('delete releases everything', async () => {
    for (const who of [consumer, early, many])
      await client.quiet(`resource provider allocation delete ${who}`)
    assert.deepEqual(await client.json(`resource provider allocation show ${consumer}`), [])
    const rows = await client.json(`resource provider usage show ${host}`)
    assert.deepEqual(
      rows.map((row: Row) => row.usage),
      [0, 0],
    )
  })
}
