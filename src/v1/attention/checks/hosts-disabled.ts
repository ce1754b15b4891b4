import { countText } from '../../../kernel/count-text.ts'
import { type ProviderSlot, providerSlot } from '../../../kernel/ids.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { findHostByName, isHost, isHostUp, listConsumers } from '../../../scheduling/hosts/hosts.ts'
import { cloudOf } from '../../../world/cloud-owned.ts'
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
      row => row.is_disabled === 1 && isHostUp(row),
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

/** Hosts that count as down: silent ones of a pulled cloud too. */
export const hostsDown: AttentionCheck = {
  code: 'host.down',
  what: 'Hosts that are forced down, or whose compute service is silent in the cloud that they were pulled from.',
  severity: 'warning',
  operation: 'berth:hosts',
  restMs: 0,
  async find({ world, turns }) {
    const { items, total, first } = await listHosts(world, turns, row => !isHostUp(row))
    if (first === null) return null
    return {
      total,
      items,
      text: `${countText(total, 'host is', 'hosts are')} down`,
      link: '/?mark=down',
      command: isRaisedHere(world, first)
        ? `berth host set ${shellWord(first)} --up`
        : `berth host show ${shellWord(first)}`,
    }
  },
}

/** A silent host, and one of a cloud, is raised where it runs. */
function isRaisedHere(world: World, name: string): boolean {
  const slot = findHostByName(world, name)
  const row = slot === undefined ? undefined : world.compute.host(slot)
  return row !== undefined && row.is_down === 0 && cloudOf(row.applied_by) === null
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
    const silent = row.is_down === 1 ? '; its compute service is silent' : ''
    worst.add(servers, {
      name: world.providers.name(slot),
      text: `${countText(servers, 'consumer')} on it${reason}${silent}`,
      link: `/providers/${world.providers.uuid(slot)}`,
    })
  }
  const items = worst.list()
  return { items, total: worst.total, first: items[0]?.name ?? null }
}
