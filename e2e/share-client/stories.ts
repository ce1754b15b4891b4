import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Openstack } from '../real-client/openstack.ts'
import type { Manila } from './manila.ts'

interface Stage {
  readonly openstack: Openstack
  readonly manila: Manila
  /** The root of the directory back end. */
  readonly root: string
  claim(what: string, check: () => Promise<void>): Promise<void>
}

export type Story = (stage: Stage) => Promise<void>

type Row = Readonly<Record<string, unknown>>

const named = (rows: readonly Row[], name: string): Row | undefined => rows.find(row => row.Name === name)

/** Waits until the share is as wanted; returns its state after a timeout otherwise. */
async function once(
  openstack: Openstack,
  name: string,
  wanted: Readonly<Record<string, string>>,
): Promise<Row> {
  for (let tries = 0; ; tries++) {
    const share = await openstack.json(`share show ${name}`)
    if (tries === 50 || Object.entries(wanted).every(([key, value]) => share[key] === value)) {
      for (const [key, value] of Object.entries(wanted)) assert.equal(share[key], value, `${key} of ${name}`)
      return share
    }
    await sleep(200)
  }
}

const idOf = async (openstack: Openstack, name: string): Promise<string> =>
  (await openstack.json(`share show ${name}`)).id

export const types: Story = async ({ openstack, claim }) => {
  await claim('a type is created with specs, shown, changed and listed', async () => {
    const made = await openstack.json(
      'share type create gold false --description fast --extra-specs share_backend_name=alpha',
    )
    assert.equal(made.name, 'gold')
    assert.match(JSON.stringify(made.optional_extra_specs), /alpha/)
    await openstack.quiet('share type set gold --extra-specs tier=one')
    await openstack.quiet('share type unset gold tier')
    assert.ok(named(await openstack.json('share type list'), 'gold'))
  })
  await claim('the pools are listed, also by type', async () => {
    const pools: Row[] = await openstack.json('share pool list')
    assert.deepEqual(
      pools.map(pool => pool.Name),
      ['farm@alpha#a1', 'farm@beta#beta1', 'farm@delta#delta1'],
    )
    const gold: Row[] = await openstack.json('share pool list --share-type gold')
    assert.deepEqual(
      gold.map(pool => pool.Name),
      ['farm@alpha#a1'],
    )
  })
  await claim('a type is deleted', () => openstack.quiet('share type delete gold'))
}

export const shares: Story = async ({ openstack, root, claim }) => {
  await claim('a share is created as a directory', async () => {
    const made = await openstack.json('share create NFS 1 --name disk --share-type on-beta --wait')
    assert.equal(made.status, 'available')
    assert.deepEqual(await readdir(join(root, 'beta', 'beta1')), [made.id])
    const shown = await openstack.json('share show disk')
    assert.match(JSON.stringify(shown.export_locations), new RegExp(made.id))
  })
  await claim('it is listed, renamed, and has properties', async () => {
    assert.equal(named(await openstack.json('share list'), 'disk')?.Host, 'farm@beta#beta1')
    await openstack.quiet('share set disk --property team=db --name disc')
    assert.equal(JSON.stringify((await openstack.json('share show disc')).properties), '{"team":"db"}')
    assert.ok(named(await openstack.json('share list --property team=db'), 'disc'))
    await openstack.quiet('share unset disc --property team')
  })
  await claim('it grows and shrinks', async () => {
    await openstack.quiet('share resize disc 3')
    await once(openstack, 'disc', { status: 'available' })
    assert.equal(Number((await openstack.json('share show disc')).size), 3)
    await openstack.quiet('share resize disc 2')
    await once(openstack, 'disc', { status: 'available' })
    assert.equal(Number((await openstack.json('share show disc')).size), 2)
  })
  await claim('it is deleted with its directory', async () => {
    await openstack.quiet('share delete disc --wait')
    assert.deepEqual(await readdir(join(root, 'beta', 'beta1')), [])
  })
}

export const hints: Story = async ({ openstack, claim }) => {
  await claim('a share on the same host as another, and one on a different host', async () => {
    const one = await openstack.json('share create NFS 1 --name one --wait')
    const two = await openstack.json(
      `share create NFS 1 --name two --scheduler-hint same_host=${one.id} --wait`,
    )
    const three = await openstack.json(
      `share create NFS 1 --name three --scheduler-hint different_host=${one.id},${two.id} --wait`,
    )
    assert.equal(two.host, one.host)
    assert.notEqual(three.host, one.host)
    const shown = await openstack.json('share show three')
    assert.equal(shown.properties.__affinity_different_host, `${one.id},${two.id}`)
  })
  await claim('a hint that names an unknown share is refused', async () => {
    const refusal = await openstack.refused(
      'share create NFS 1 --name four --scheduler-hint same_host=7d0b1f0e-5c35-4f0c-9f4c-3f3f8a2b9d11',
    )
    assert.match(refusal, /7d0b1f0e/)
  })
}

export const moves: Story = async ({ openstack, root, claim }) => {
  const flags = '--preserve-metadata False --preserve-snapshots False --writable False --nondisruptive False'
  await claim('a share does not move against its hints', async () => {
    await openstack.quiet(`share migration start two farm@beta#beta1 ${flags}`)
    await once(openstack, 'two', { task_state: 'migration_error', status: 'available' })
  })
  await claim('another share moves in two phases, with its directory', async () => {
    const free = await openstack.json('share create NFS 1 --name free --share-type disks --wait')
    const [from, to] = free.host === 'farm@beta#beta1' ? ['beta', 'delta'] : ['delta', 'beta']
    await openstack.quiet(`share migration start free farm@${to}#${to}1 ${flags}`)
    await once(openstack, 'free', { task_state: 'migration_driver_phase1_done', status: 'migrating' })
    await openstack.quiet('share migration complete free')
    await once(openstack, 'free', { task_state: 'migration_success', host: `farm@${to}#${to}1` })
    assert.ok((await readdir(join(root, to, `${to}1`))).includes(free.id))
    await sleep(1_000)
    assert.ok(!(await readdir(join(root, from, `${from}1`))).includes(free.id))
  })
}

export const snapshots: Story = async ({ openstack, claim }) => {
  await claim('a share from a snapshot is on the same back end', async () => {
    const snapshot = await openstack.json('share snapshot create one --name snap --wait')
    assert.equal(snapshot.status, 'available')
    const made = await openstack.json('share create NFS 1 --name again --snapshot-id snap --wait')
    const one = await openstack.json('share show one')
    assert.equal(made.host, one.host)
  })
  await claim('a share with a snapshot is not deleted; the snapshot is', async () => {
    assert.match(await openstack.refused('share delete one'), /snapshot/i)
    await openstack.quiet('share snapshot delete snap --wait')
  })
}

export const failures: Story = async ({ openstack, claim }) => {
  await claim('a share without a pool fails, and a message says why', async () => {
    const [one, three] = [await idOf(openstack, 'one'), await idOf(openstack, 'three')]
    const made = await openstack.json(
      `share create NFS 1 --name torn --scheduler-hint same_host=${one},${three}`,
    )
    await once(openstack, 'torn', { status: 'error' })
    const messages: Row[] = await openstack.json(`share message list --resource-id ${made.id}`)
    assert.match(String(messages[0]?.['User Message']), /AffinityFilter/)
  })
  await claim('a disabled back end gets no new shares', async () => {
    await openstack.quiet('share service set farm@beta manila-share --disable')
    await openstack.json('share create NFS 1 --name off --share-type on-beta')
    await once(openstack, 'off', { status: 'error' })
    await openstack.quiet('share service set farm@beta manila-share --enable')
  })
}

export const manila: Story = async ({ manila: client, claim }) => {
  await claim('creates with hints, lists, shows and deletes', async () => {
    const one = await client.shown('create', 'NFS', '1', '--name', 'm1')
    const two = await client.shown(
      'create',
      'NFS',
      '1',
      '--name',
      'm2',
      '--scheduler-hints',
      `same_host=${one.id}`,
    )
    assert.match(String(two.metadata), new RegExp(String(one.id)))
    const rows = await client.rows('list')
    assert.ok(rows.some(row => row.Name === 'm2'))
    await client.say('metadata', 'm2', 'set', 'a=b')
    assert.match(JSON.stringify(await client.rows('metadata-show', 'm2')), /"a"/)
    await sleep(1_000)
    await client.say('delete', 'm1', 'm2', '--wait')
  })
  await claim('lists pools, types and messages', async () => {
    const pools = await client.rows('pool-list')
    const types = await client.rows('type-list')
    const messages = await client.rows('message-list')
    assert.equal(pools.length, 3)
    assert.ok(types.some(row => row.Name === 'disks'))
    assert.ok(messages.length > 0)
  })
}
