import { expect, test } from 'vitest'
import { SmallCloud } from '../../../../test/small-cloud.ts'
import { getHostRow } from '../../../scheduling/hosts/hosts.ts'
import { insert } from '../../../world/change.ts'
import type { HostRow } from '../../../world/compute.ts'
import { Turns } from '../../api/in-turns.ts'
import type { CheckRun } from '../check.ts'
import { hostsDisabled, hostsDown } from './hosts-disabled.ts'

async function find(row: Partial<HostRow>) {
  const { world } = new SmallCloud().add('host', { has: { VCPU: 4 } })
  const slot = world.providers.findName('host')!
  world.apply({ ops: [insert('hosts', { ...getHostRow(world, slot), ...row })] })
  const run = { world, turns: new Turns() } as CheckRun
  return { down: await hostsDown.find(run), disabled: await hostsDisabled.find(run) }
}

test('a host whose service is silent in its cloud is down, and is raised there', async () => {
  expect(await find({ is_down: 1, applied_by: 'cloud:west' })).toMatchObject({
    down: {
      total: 1,
      command: 'berth host show host',
      items: [{ name: 'host', text: '0 consumers on it; its compute service is silent' }],
    },
    disabled: null,
  })
})

test('one that was forced down here is raised here', async () => {
  expect((await find({ is_forced_down: 1 })).down).toMatchObject({ command: 'berth host set host --up' })
})

test('one that is down and disabled counts once', async () => {
  expect(await find({ is_down: 1, is_disabled: 1, disabled_reason: 'fan' })).toMatchObject({
    down: { items: [{ text: '0 consumers on it: fan; its compute service is silent' }] },
    disabled: null,
  })
  expect((await find({ is_disabled: 1 })).disabled).toMatchObject({ total: 1 })
})
