import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Story } from './stories.ts'

type Row = Readonly<Record<string, unknown>>

/** Retries until it holds; reports the last failure. */
async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await ask()
    } catch (reason) {
      if (tries === 50) throw reason
      await sleep(200)
    }
}

/** Both clients add, list, show and delete access; the exports file of the back end follows. */
export const access: Story = async ({ openstack, manila, root, claim }) => {
  const exports = () => readFile(join(root, 'beta', '.berth', 'exports'), 'utf8')
  await openstack.json('share create NFS 1 --name open --share-type on-beta --wait')
  const { id: share } = await openstack.json('share show open')

  await claim('openstack adds access, and lists and shows it as active', async () => {
    const made = await openstack.json(
      'share access create open ip 10.0.0.0/24 --access-level ro --properties who=lab',
    )
    assert.deepEqual([made.access_to, made.access_level, made.share_id], ['10.0.0.0/24', 'ro', share])
    const [listed] = await eventually(async () => {
      const rows: Row[] = await openstack.json('share access list open')
      assert.deepEqual(
        rows.map(row => row.State),
        ['active'],
      )
      return rows
    })
    assert.deepEqual(
      [listed?.ID, listed?.['Access To'], listed?.['Access Level']],
      [made.id, '10.0.0.0/24', 'ro'],
    )
    const shown = await openstack.json(`share access show ${made.id}`)
    assert.match(JSON.stringify(shown.properties), /who.*lab/)
    assert.match(await exports(), new RegExp(`/${share} 10\\.0\\.0\\.0/24\\(ro,`))
  })
  await claim('openstack sets and unsets properties of a rule', async () => {
    const [{ ID: rule } = {}]: Row[] = await openstack.json('share access list open')
    await openstack.quiet(`share access set ${rule} --property room=9`)
    assert.match(JSON.stringify((await openstack.json(`share access show ${rule}`)).properties), /room/)
    await openstack.quiet(`share access unset ${rule} --property room`)
    assert.doesNotMatch(
      JSON.stringify((await openstack.json(`share access show ${rule}`)).properties),
      /room/,
    )
  })
  await claim('an existing rule is refused with the reason', async () => {
    const { err } = await openstack.say('share access create open ip 10.0.0.0/24')
    assert.match(err, /Share access ip:10\.0\.0\.0\/24 exists/)
  })
  await claim('a rule that exports cannot express ends in error, with a message', async () => {
    const made = await openstack.json('share access create open user bobb')
    await eventually(async () => {
      assert.equal((await openstack.json(`share access show ${made.id}`)).state, 'error')
    })
    const messages: Row[] = await openstack.json('share message list')
    assert.match(JSON.stringify(messages), /only those of type ip/)
    await openstack.quiet(`share access delete open ${made.id}`)
  })
  await claim('manila adds, lists, shows and deletes access', async () => {
    const made = await manila.shown('access-allow', 'open', 'ip', '10.0.1.7')
    const rule = String(made.id)
    await eventually(async () => {
      assert.match(JSON.stringify(await manila.rows('access-list', 'open')), /10\.0\.1\.7.*active/)
    })
    assert.equal((await manila.shown('access-show', rule)).access_to, '10.0.1.7')
    await manila.say('access-metadata', rule, 'set', 'a=b')
    assert.match(JSON.stringify(await manila.shown('access-show', rule)), /'a': 'b'/)
    await manila.say('access-deny', 'open', rule)
    await eventually(async () => assert.doesNotMatch(await exports(), /10\.0\.1\.7/))
  })
  await claim('openstack deletes access, and the export is removed', async () => {
    const [{ ID: rule } = {}]: Row[] = await openstack.json('share access list open')
    await openstack.quiet(`share access delete open ${rule}`)
    await eventually(async () => {
      assert.deepEqual(await openstack.json('share access list open'), [])
      assert.doesNotMatch(await exports(), new RegExp(share))
    })
    await openstack.quiet('share delete open --wait')
  })
}
