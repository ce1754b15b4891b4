/** Every panel opens without an error message. */
import assert from 'node:assert/strict'
import type { Dashboard } from './dashboard.ts'

interface Parts {
  readonly dashboard: Dashboard
  readonly claim: (what: string, check: () => Promise<void>) => Promise<void>
  /** Sends a request to Berth as an admin, not through the dashboard. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of many APIs.
  readonly ask: (method: string, path: string, body?: unknown) => Promise<any>
}

export type Story = (parts: Parts) => Promise<void>

const PROJECT = [
  ...['/project/', '/project/api_access/', '/project/instances/', '/project/server_groups/'],
  ...['/project/shares/', '/project/share_snapshots/', '/project/user_messages/', '/settings/'],
  '/identity/application_credentials/',
]
const ADMIN = [
  ...['/admin/', '/admin/hypervisors/', '/admin/aggregates/', '/admin/instances/', '/admin/flavors/'],
  ...['/admin/defaults/', '/admin/metadata_defs/', '/admin/info/', '/admin/shares/'],
  ...['/admin/share_snapshots/', '/admin/share_types/', '/admin/user_messages/'],
  ...['/identity/', '/identity/users/', '/identity/roles/'],
]
const ABSENT =
  /\/(images|key_pairs|share_networks|security_services|share_servers|share_instances|share_group\w*|groups)\//

export const panels =
  (who: 'admin' | 'member'): Story =>
  async ({ dashboard, claim }) => {
    for (const path of who === 'admin' ? [...PROJECT, ...ADMIN] : PROJECT)
      await claim(`${path} opens without an error`, () => dashboard.opensQuietly(path))
    const links = await dashboard.page
      .locator('a[href^="/"]')
      .evaluateAll(all => all.map(one => one.getAttribute('href') ?? ''))
    await claim('panels of what Berth lacks are not offered', async () => {
      assert.deepEqual(
        links.filter(link => ABSENT.test(link)),
        [],
      )
    })
    if (who === 'member')
      await claim('panels of admins are not offered', async () => {
        assert.deepEqual(
          links.filter(link => link.startsWith('/admin')),
          [],
        )
      })
  }
