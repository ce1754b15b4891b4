/** Chains of shares that must not share a pool, and others that are created, moved and deleted, while servers die. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../src/kernel/random.ts'
import type { Server } from '../history/server.ts'
import type { Farm } from './farm.ts'

type Chance = () => number

export const chanceOf = (seed: number): Chance => {
  const random = new Random(seed)
  return () => random.below(1_000_000) / 1_000_000
}

const any = <T>(chance: Chance, items: readonly T[]): T => items[Math.floor(chance() * items.length)] as T

interface Counts {
  acknowledged: number
  unknown: number
  deleted: number
  moved: number
  cancelled: number
  allowed: number
  denied: number
  killed: number
  frozen: number
}

export const noCounts = (): Counts => ({
  acknowledged: 0,
  unknown: 0,
  deleted: 0,
  moved: 0,
  cancelled: 0,
  allowed: 0,
  denied: 0,
  killed: 0,
  frozen: 0,
})

/** Each creation names every acknowledged share of the chain. */
export async function chain(
  farm: Farm,
  name: string,
  length: number,
  chance: Chance,
  counts: Counts,
): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < length) {
    const scheduler_hints = ids.length === 0 ? {} : { different_host: ids }
    const share = { share_proto: 'NFS', size: 1, name: `${name}-${ids.length}`, scheduler_hints }
    const answer = await farm.ask(any(chance, farm.servers), 'POST', '/shares', { share })
    if (answer === null) {
      counts.unknown++
      await sleep(100)
      continue
    }
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.json)}`)
    counts.acknowledged++
    ids.push(answer.json.share.id)
  }
  for (const id of ids) if (await allow(farm, chance, id, '10.0.0.1')) counts.allowed++
  return ids
}

/** Null if it was refused, as the share may still be created, or if the outcome is unknown. */
async function allow(farm: Farm, chance: Chance, id: string, access_to: string): Promise<string | null> {
  const body = { allow_access: { access_type: 'ip', access_to } }
  const answer = await farm.ask(any(chance, farm.servers), 'POST', `/shares/${id}/action`, body)
  return answer?.json?.access?.id ?? null
}

/** Allows two clients, and perhaps denies one of them again. */
async function changeAccess(farm: Farm, chance: Chance, counts: Counts, id: string): Promise<void> {
  for (const to of ['10.0.0.1', '10.0.0.2']) {
    const rule = await allow(farm, chance, id, to)
    if (rule === null) continue
    counts.allowed++
    if (chance() < 0.6) continue
    const body = { deny_access: { access_id: rule } }
    const gone = await farm.ask(any(chance, farm.servers), 'POST', `/shares/${id}/action`, body)
    if (gone?.status === 202) counts.denied++
  }
}

/** Creates shares, and moves or deletes them, until it is stopped. */
export async function comeAndGo(
  farm: Farm,
  chance: Chance,
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const act = (id: string, body: object) =>
    farm.ask(any(chance, farm.servers), 'POST', `/shares/${id}/action`, body)
  const seen = async (id: string) =>
    (await farm.ask(any(chance, farm.servers), 'GET', `/shares/${id}`))?.json?.share
  while (!isOver()) {
    const share = { share_proto: 'NFS', size: 2, name: 'extra' }
    const made = await farm.ask(any(chance, farm.servers), 'POST', '/shares', { share })
    if (made === null) continue
    const { id } = made.json.share as { id: string }
    await until(isOver, async () => (await seen(id))?.status === 'available')
    await changeAccess(farm, chance, counts, id)
    if (chance() < 0.5) {
      const flags = {
        writable: false,
        nondisruptive: false,
        preserve_metadata: false,
        preserve_snapshots: false,
      }
      const host = `farm@b${Math.floor(chance() * 60)}#p`
      await act(id, { migration_start: { host, ...flags } })
      await until(isOver, async () => {
        const state = (await seen(id))?.task_state
        return (
          state === 'migration_driver_phase1_done' ||
          state === 'migration_error' ||
          state === 'migration_success'
        )
      })
      const isCancelled = chance() < 0.3
      const ended = await act(id, isCancelled ? { migration_cancel: null } : { migration_complete: null })
      if (ended?.status === 202) counts[isCancelled ? 'cancelled' : 'moved']++
      await until(isOver, async () => (await seen(id))?.status === 'available')
    }
    const gone = await farm.ask(any(chance, farm.servers), 'DELETE', `/shares/${id}`)
    if (gone?.status === 202) counts.deleted++
  }
}

async function until(isOver: () => boolean, isTrue: () => Promise<boolean>): Promise<void> {
  while (!isOver()) {
    if (await isTrue()) return
    await sleep(50)
  }
}

/** Kills and freezes servers, one at a time, until stopped; a frozen one sleeps longer than a lease lasts. */
export async function trouble(
  farm: Farm,
  chance: Chance,
  counts: Counts,
  { leaseMs, isOver }: { readonly leaseMs: number; readonly isOver: () => boolean },
): Promise<void> {
  while (!isOver()) {
    await sleep(300 + chance() * 700)
    const server = any(chance, farm.servers)
    if (chance() < 0.5) await killed(server, counts)
    else {
      counts.frozen++
      server.freeze()
      await sleep(leaseMs * (1.2 + chance()))
      server.thaw()
    }
  }
}

async function killed(server: Server, counts: Counts): Promise<void> {
  counts.killed++
  await server.kill()
  await sleep(200)
  await server.start()
}
