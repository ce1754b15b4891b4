/** Values that definitions do not allow, where the compute and share APIs write them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ShareClient } from '../src/shares/share-client.fixture.ts'

const clients: Record<'warn' | 'refuse', ShareClient | null> = { warn: null, refuse: null }
beforeAll(async () => {
  for (const catalog_check_writes of ['warn', 'refuse'] as const)
    clients[catalog_check_writes] = await ShareClient.start(undefined, {
      catalog_check_writes,
      catalog_builtin: true,
    })
})
afterAll(async () => {
  for (const client of Object.values(clients)) await client?.berth.end()
})

const FLAVOR = { flavor: { name: 'f', id: 'f', ram: 1, vcpus: 1, disk: 0 } }

async function write(mode: 'warn' | 'refuse', path: string, body: unknown) {
  const answer = await fetch(`${clients[mode]?.berth.server.url}${path}`, {
    method: 'POST',
    headers: {
      'x-auth-token': 'admin',
      'content-type': 'application/json',
      'x-openstack-manila-api-version': '2.60',
    },
    body: JSON.stringify(body),
  })
  return { status: answer.status, warning: answer.headers.get('berth-warning'), text: await answer.text() }
}

test('a flavor: a doubtful value is taken with a warning or refused, NaN refused in both', async () => {
  const specs = '/compute/v2.1/flavors/f/os-extra_specs'
  for (const mode of ['warn', 'refuse'] as const) {
    await write(mode, '/compute/v2.1/flavors', FLAVOR)
    const lost = await write(mode, specs, { extra_specs: { 'capabilities:free_ram_mb': 'NaN' } })
    expect(lost).toMatchObject({ status: 400, text: expect.stringContaining('capabilities:free_ram_mb') })
    const fine = await write(mode, specs, { extra_specs: { 'capabilities:free_ram_mb': '>= 4096' } })
    expect(fine).toMatchObject({ status: 200, warning: null })
  }
  const doubtful = { extra_specs: { 'hw:boot_menu': 'perhaps' } }
  expect(await write('warn', specs, doubtful)).toMatchObject({
    status: 200,
    warning: expect.stringContaining('hw:boot_menu: "perhaps" is not a boolean'),
  })
  expect((await write('refuse', specs, doubtful)).status).toBe(400)
})

test('an aggregate and a share type too', async () => {
  const made = { aggregate: { name: 'a' } }
  const metadata = { set_metadata: { metadata: { max_instances_per_host: 'many' } } }
  const type = {
    share_type: {
      name: 't',
      extra_specs: { driver_handles_share_servers: 'False', free_capacity_gb: 'lots' },
    },
  }
  for (const [mode, status] of [
    ['warn', 200],
    ['refuse', 400],
  ] as const) {
    await write(mode, '/compute/v2.1/os-aggregates', made)
    const aggregate = await write(mode, '/compute/v2.1/os-aggregates/1/action', metadata)
    const shareType = await write(mode, '/share/v2/types', type)
    for (const answer of [aggregate, shareType]) {
      expect(answer.status).toBe(status)
      if (mode === 'warn') expect(answer.warning).toMatch(/is not a (whole )?number/)
    }
  }
  const lost = { set_metadata: { metadata: { cpu_weight_multiplier: 'NaN' } } }
  expect((await write('warn', '/compute/v2.1/os-aggregates/1/action', lost)).status).toBe(400)
})
