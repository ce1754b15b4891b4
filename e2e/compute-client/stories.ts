import assert from 'node:assert/strict'
import type { Openstack } from '../real-client/openstack.ts'

interface Stage {
  /** The client with its default version, and with the newest it knows. */
  readonly plain: Openstack
  readonly newest: Openstack
  claim(what: string, check: () => Promise<void>): Promise<void>
}

export type Story = (stage: Stage) => Promise<void>

type Row = Readonly<Record<string, unknown>>

const named = (rows: readonly Row[], name: string): Row | undefined => rows.find(row => row.Name === name)

/** `!` excludes `*`. The client strips quotes twice, so two kinds are needed. */
const ODD = '<or> ! <or> *'

export const flavors: Story = async ({ plain, newest, claim }) => {
  await claim('a flavor is created, with properties', async () => {
    const made = await plain.json(
      'flavor create small --id s1 --ram 512 --vcpus 1 --disk 1 --property tier=gold --property hw:cpu_policy=shared',
    )
    assert.equal(made.id, 's1')
    assert.deepEqual(made.properties, { tier: 'gold', 'hw:cpu_policy': 'shared' })
  })
  await claim('one with a new id, swap, a description and for one project only', async () => {
    const made = await newest.json(
      'flavor create secret --ram 64 --vcpus 2 --disk 0 --swap 7 --ephemeral 3 --private --description ours',
    )
    assert.match(made.id, /^[0-9a-f-]{36}$/)
    assert.equal(made.swap, 7)
    assert.equal(made.description, 'ours')
    assert.equal(made['os-flavor-access:is_public'], false)
  })
  await claim('flavors are listed, private ones on request', async () => {
    assert.equal(named(await plain.json('flavor list'), 'secret'), undefined)
    assert.equal(named(await plain.json('flavor list --all'), 'secret')?.RAM, 64)
    const long = named(await plain.json('flavor list --long'), 'small')
    assert.deepEqual(long?.Properties, { tier: 'gold', 'hw:cpu_policy': 'shared' })
  })
  await claim('properties are set and unset, by name and by id', async () => {
    await plain.quiet('flavor set small --property tier=silver --property trait:CUSTOM_A=required')
    await plain.quiet('flavor unset s1 --property hw:cpu_policy')
    const { properties } = await plain.json('flavor show small')
    assert.deepEqual(properties, { tier: 'silver', 'trait:CUSTOM_A': 'required' })
  })
  await claim('sentinels that contradict each other are taken in every version', async () => {
    for (const client of [plain, newest])
      await client.quiet(`flavor set small --property "'tier=${ODD}'" --property "'hw:cpu_policy=${ODD}'"`)
    const { properties } = await plain.json('flavor show small')
    assert.equal(properties.tier, ODD)
    assert.equal(properties['hw:cpu_policy'], ODD)
  })
  await claim('a description is changed', async () => {
    await newest.quiet('flavor set small --description changed')
    assert.equal((await newest.json('flavor show s1')).description, 'changed')
  })
  await claim('a name in use is a conflict, and an unknown one is named in the error', async () => {
    assert.match(await plain.refused('flavor create small --ram 1 --vcpus 1 --disk 0'), /409/)
    assert.match(await plain.refused('flavor show nothing'), /nothing/)
  })
  await claim('flavors are deleted', async () => {
    await plain.quiet('flavor delete small secret')
    assert.deepEqual(await plain.json('flavor list --all'), [])
  })
}

export const aggregates: Story = async ({ plain, claim }) => {
  await claim('an aggregate is created with a zone and properties', async () => {
    const made = await plain.json('aggregate create --zone west --property ssd=true rack')
    assert.equal(made.availability_zone, 'west')
    assert.equal(made.name, 'rack')
  })
  await claim('hosts are added, once', async () => {
    const { hosts } = await plain.json('aggregate add host rack compute-1')
    assert.deepEqual(hosts, ['compute-1'])
    assert.match(await plain.refused('aggregate add host rack compute-1'), /409/)
    assert.match(await plain.refused('aggregate add host rack nobody'), /404/)
  })
  await claim('properties are set and unset, and the name and the zone change', async () => {
    await plain.quiet('aggregate set rack --property speed=high --property ssd=false')
    await plain.quiet('aggregate unset rack --property ssd')
    await plain.quiet('aggregate set rack --name shelf --zone east')
    const shown = await plain.json('aggregate show shelf')
    assert.deepEqual(shown.properties, { speed: 'high' })
    assert.equal(shown.availability_zone, 'east')
    assert.deepEqual(shown.hosts, ['compute-1'])
  })
  await claim('sentinels that contradict each other are taken, forced or not', async () => {
    await plain.quiet(`aggregate set shelf --property "'tier=${ODD}'"`)
    await plain.quiet(`aggregate set shelf --property force_metadata_check=true --property "'rack=${ODD}'"`)
    const { properties } = await plain.json('aggregate show shelf')
    assert.deepEqual([properties.tier, properties.rack], [ODD, ODD])
  })
  await claim('aggregates are listed', async () => {
    const [row] = await plain.json('aggregate list --long')
    assert.equal(row.Name, 'shelf')
    assert.equal(row['Availability Zone'], 'east')
  })
  await claim('one with hosts is not deleted; without them it is', async () => {
    assert.match(await plain.refused('aggregate delete shelf'), /shelf|400/)
    assert.deepEqual((await plain.json('aggregate remove host shelf compute-1')).hosts, [])
    await plain.quiet('aggregate delete shelf')
    assert.deepEqual(await plain.json('aggregate list'), [])
  })
}

export const groups: Story = async ({ plain, newest, claim }) => {
  await claim('a group is created with a policy', async () => {
    const made = await plain.json('server group create --policy affinity together')
    assert.equal(made.name, 'together')
    assert.deepEqual(made.policies, ['affinity'])
  })
  await claim('one with a rule', async () => {
    const made = await newest.json(
      'server group create --policy anti-affinity --rule max_server_per_host=2 apart',
    )
    assert.equal(made.policy, 'anti-affinity')
    assert.match(JSON.stringify(made.rules), /max_server_per_host/)
  })
  await claim('groups are listed and shown', async () => {
    const names = (await newest.json('server group list')).map((row: Row) => row.Name).sort()
    assert.deepEqual(names, ['apart', 'together'])
    assert.equal((await newest.json('server group show apart')).policy, 'anti-affinity')
  })
  await claim('groups are deleted', async () => {
    await newest.quiet('server group delete apart together')
    assert.deepEqual(await newest.json('server group list'), [])
  })
}

export const hosts: Story = async ({ plain, newest, claim }) => {
  await claim('hypervisors are listed, in every version', async () => {
    for (const client of [plain, newest]) {
      const rows: Row[] = await client.json('hypervisor list')
      assert.deepEqual(rows.map(row => row['Hypervisor Hostname']).sort(), ['compute-1', 'compute-2'])
      assert.deepEqual(new Set(rows.map(row => row.State)), new Set(['up']))
    }
  })
  await claim('one is shown by its name', async () => {
    const shown = await plain.json('hypervisor show compute-1')
    assert.equal(shown.hypervisor_hostname, 'compute-1')
    assert.equal(shown.vcpus, 8)
  })
  await claim('they are searched by a part of the name', async () => {
    const rows: Row[] = await plain.json('hypervisor list --matching ute-2')
    assert.deepEqual(
      rows.map(row => row['Hypervisor Hostname']),
      ['compute-2'],
    )
  })
  await claim('hosts are listed while there are any', async () => {
    const rows: Row[] = await plain.json('host list')
    assert.deepEqual(rows.map(row => row['Host Name']).sort(), ['compute-1', 'compute-2'])
  })
}

export const services: Story = async ({ plain, newest, claim }) => {
  const row = async (client: Openstack): Promise<Row> =>
    (await client.json('compute service list --host compute-1'))[0] as Row
  for (const [name, client] of [
    ['2.1', plain],
    ['2.92', newest],
  ] as const) {
    await claim(`${name}: a service is disabled with a reason, and enabled`, async () => {
      await client.quiet('compute service set --disable --disable-reason broken compute-1 nova-compute')
      assert.equal((await row(client)).Status, 'disabled')
      await client.quiet('compute service set --enable compute-1 nova-compute')
      assert.equal((await row(client)).Status, 'enabled')
    })
  }
  await claim('a service is forced down, and comes up again', async () => {
    await newest.quiet('compute service set --down compute-1 nova-compute')
    assert.equal((await row(newest)).State, 'down')
    await newest.quiet('compute service set --up compute-1 nova-compute')
    assert.equal((await row(newest)).State, 'up')
  })
  await claim('a service is deleted with its host', async () => {
    const all: Row[] = await newest.json('compute service list')
    const id = all.find(one => one.Host === 'compute-2')?.ID
    await newest.quiet(`compute service delete ${id}`)
    assert.deepEqual(
      (await newest.json('compute service list')).map((one: Row) => one.Host),
      ['compute-1'],
    )
  })
}

export const zones: Story = async ({ plain, claim }) => {
  await claim('zones are listed', async () => {
    await plain.json('aggregate create --zone west rack')
    await plain.json('aggregate add host rack compute-1')
    const rows: Row[] = await plain.json('availability zone list --compute')
    assert.deepEqual(rows, [{ 'Zone Name': 'west', 'Zone Status': 'available' }])
  })
  await claim('with their hosts', async () => {
    const rows: Row[] = await plain.json('availability zone list --compute --long')
    assert.equal(rows[0]?.['Host Name'], 'compute-1')
  })
}
