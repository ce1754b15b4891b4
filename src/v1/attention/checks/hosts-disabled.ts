import { countText } from '../../../kernel/count-text.ts'
import { type ProviderSlot, providerSlot } from '../../../kernel/ids.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { isHost, listConsumers } from '../../../scheduling/hosts/hosts.ts'
import type { HostRow } from '../../../world/compute.ts'
import type { World } from '../../../world/world.ts'
import type { Turns } from '../../api/in-turns.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

/** Hosts that an operator disabled. */
export const hostsDisabled: AttentionCheck = {
  code: 'host.disabled',
  what: 'Hosts that are disabled.',
  severity: 'note',
  operation: 'berth:hosts',
  restMs: 0,
  async find({ world, turns }) {
    const { items, total, first } = await listHosts(
      world,
      turns,
      row => row.is_disabled === 1 && row.is_forced_down === 0,
    )
    if (first === null) return null
    return {
      total,
      items,
      text: `${countText(total, 'host is disabled and takes', 'hosts are disabled and take')} no new servers`,
      link: '/?mark=disabled',
      command: `berth host set ${shellWord(first)} --enable`,
    }
  },
}

/** Hosts that count as down. */
export const hostsDown: AttentionCheck = {
  code: 'host.down',
  what: 'Hosts that are forced down.',
  severity: 'warning',
  operation: 'berth:hosts',
  restMs: 0,
  async find({ world, turns }) {
    const { items, total, first } = await listHosts(world, turns, row => row.is_forced_down === 1)
    if (first === null) return null
    return {
      total,
      items,
      text: `${countText(total, 'host is', 'hosts are')} down`,
      link: '/?mark=down',
      command: `berth host set ${shellWord(first)} --up`,
    }
  },
}

/** Those with the most servers first. */
async function listHosts(world: World, turns: Turns, isMeant: (row: HostRow) => boolean) {
  const worst = new WorstItems()
  for (const row of [...world.compute.hosts()].filter(isMeant)) {
    await turns.give()
    const slot: ProviderSlot = providerSlot(row.provider_id)
    if (!isHost(world, slot)) continue
    const servers = listConsumers(world, slot).length
    const reason = row.disabled_reason === null ? '' : `: ${row.disabled_reason}`
    worst.add(servers, {
      name: world.providers.name(slot),
      text: `${countText(servers, 'consumer')} on it${reason}`,
      link: `/providers/${world.providers.uuid(slot)}`,
    })
  }
  const items = worst.list()
  return { items, total: worst.total, first: items[0]?.name ?? null }
}
