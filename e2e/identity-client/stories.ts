/** What people do with the real client and a clouds.yaml. */
import assert from 'node:assert/strict'
import type { Openstack } from '../real-client/openstack.ts'

interface Parts {
  readonly client: Openstack
  /** A command of Berth, and its output. */
  readonly berth: (...args: readonly string[]) => Promise<string>
  readonly claim: (what: string, check: () => Promise<void>) => Promise<void>
}

export type Story = (parts: Parts) => Promise<void>

const names = (rows: readonly Record<string, unknown>[], key = 'Name') => rows.map(row => row[key])

export const admin: Story = async ({ client, claim }) => {
  await claim('token issue gives a token for the project of the admin', async () => {
    const token = await client.json('token issue')
    assert.equal(token.project_id, 'admin')
    assert.match(token.expires, /^\d{4}-/)
  })
  await claim('catalog list has every service', async () => {
    const types = names(await client.json('catalog list'), 'Type')
    for (const type of ['placement', 'compute', 'image', 'sharev2', 'identity'])
      assert(types.includes(type), type)
  })
  await claim('providers, flavors and aggregates are found through the catalog', async () => {
    await client.json('resource provider create by-password')
    assert.deepEqual(names(await client.json('resource provider list'), 'name'), ['by-password'])
    await client.json('flavor create small --ram 512 --disk 1 --vcpus 1')
    assert.deepEqual(names(await client.json('flavor list')), ['small'])
    assert.deepEqual(await client.json('aggregate list'), [])
  })
  await claim('shares and their types are found through the catalog', async () => {
    await client.json('share type create any false')
    assert(names(await client.json('share type list')).includes('any'))
    assert.deepEqual(await client.json('share list'), [])
  })
  await claim('users, projects and roles are managed with it', async () => {
    const project = await client.json('project create shop')
    const user = await client.json('user create --project shop --password sesame-sesame pia')
    assert.equal(user.default_project_id, project.id)
    await client.quiet('role add --user pia --project shop reader')
    const held = await client.json('role assignment list --user pia --names')
    assert.deepEqual(names(held, 'Role'), ['reader'])
    assert(names(await client.json('user list')).includes('pia'))
    await client.quiet('user set --disable pia')
    assert.equal((await client.json('user show pia')).enabled, false)
    await client.quiet('role remove --user pia --project shop reader')
    await client.quiet('user delete pia')
    await client.quiet('project delete shop')
  })
  await claim('application credentials come and go', async () => {
    const made = await client.json('application credential create night --role reader')
    assert.match(made.secret, /^[\w-]{40,}$/)
    assert(names(await client.json('application credential list')).includes('night'))
    await client.quiet('application credential delete night')
  })
  await claim('a token can be revoked', async () => {
    const { id } = await client.json('token issue')
    await client.quiet(`token revoke ${id}`)
    assert.match(await client.refused(`token revoke ${id}`), /Could not find token|HTTP 404/)
  })
}

export const credential: Story = async ({ client, berth, claim }) => {
  await claim('reads what a reader may', async () => {
    assert.deepEqual(names(await client.json('flavor list')), ['small'])
  })
  await claim('writes nothing', async () => {
    assert.match(await client.refused('flavor create large --ram 512 --disk 1 --vcpus 1'), /403/)
    assert.match(await client.refused('resource provider create more'), /403/)
  })
  await claim('earlier writes are in the audit log, with their user', async () => {
    const entries = JSON.parse(await berth('audit', '--json'))
    const made = entries.find((one: { command: string }) => one.command === 'placement:create-provider')
    assert.equal(made.user, 'admin')
    assert.equal(made.operation, 'placement:resource_providers:create')
    assert.equal(made.generations[0].after, 0)
  })
}

export const member: Story = async ({ client, berth, claim }) => {
  await claim('works in the own project and sees nothing of others', async () => {
    const made = await client.json('server group create --policy affinity mine')
    assert.equal(made.policy, 'affinity')
    assert.match(await client.refused('resource provider list'), /403/)
    assert.match(await client.refused('user list'), /403|not authorized/)
  })
  await claim('is refused once the user is disabled', async () => {
    await berth('user', 'set', 'ray', '--disable')
    assert.match(await client.refused('server group list'), /401|requires authentication/)
  })
}
