/** Scheduling where two features meet: request groups and aggregates, any-traits and images, and the like. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../test/running-berth.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
})

const post = (path: string, body: unknown) => berth.ask('POST', path, { body })
const schedule = (body: Record<string, unknown>) => post('/v1/schedule', body)
const hostsOf = (json: { placed?: { host: string }[] }) => json.placed?.map(({ host }) => host)

async function apply(body: object): Promise<void> {
  const { status, text } = await post('/v1/apply?owner=test', body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}

const SIZE = { VCPU: { total: 8 }, MEMORY_MB: { total: 8_192 }, NET_BW_EGR_KILOBIT_PER_SEC: { total: 1_000 } }
const SMALL = { vcpus: 1, ram: 512, disk: 0 }
const ONE = { name: 'one', uuid: uuid(1), inventories: SIZE }

describe('a flavor with keys that the scheduler itself reads is placed under the default filters', () => {
  test('two request groups, in and out of aggregates', async () => {
    const extra_specs = {
      'resources_P1:NET_BW_EGR_KILOBIT_PER_SEC': '100',
      'resources_P2:NET_BW_EGR_KILOBIT_PER_SEC': '100',
      group_policy: 'none',
      hide_hypervisor_id: 'true',
    }
    await apply({ hosts: [ONE] })
    expect(hostsOf((await schedule({ flavor: { ...SMALL, extra_specs } })).json)).toEqual(['one'])
    await apply({ hosts: [ONE], aggregates: [{ name: 'a', metadata: { rack: '7' }, hosts: ['one'] }] })
    expect(hostsOf((await schedule({ flavor: { ...SMALL, extra_specs } })).json)).toEqual(['one'])
  })

  test('on a forced aggregate with metadata of other filters and weighers', async () => {
    const metadata = {
      force_metadata_check: 'True',
      max_instances_per_host: '50',
      cpu_weight_multiplier: '2',
      filter_tenant_id: 'admin',
    }
    await apply({
      hosts: [ONE],
      aggregates: [{ name: 'a', availability_zone: 'east', metadata, hosts: ['one'] }],
    })
    expect(hostsOf((await schedule({ flavor: SMALL })).json)).toEqual(['one'])
  })

  test('explain names no aggregate for them', async () => {
    await apply({ hosts: [ONE] })
    const flavor = { ...SMALL, vcpus: 99, extra_specs: { hide_hypervisor_id: 'true' } }
    const { status, json } = await post('/v1/explain/schedule', { flavor })
    expect(status).toBe(200)
    expect(JSON.stringify(json)).not.toContain('extra-spec.missing')
  })
})
