import type { Ledger } from '../placement/ledger.ts'
import { type Damage, findDamage, findStrangers } from './find-damage.ts'
import { type Finding, findingKey } from './finding.ts'
import type { JudgeOptions } from './judgement.ts'
import type { NovaState } from './nova-state.ts'
import type { NovaReader } from './read-nova.ts'

/** The two sides of a comparison. */
interface Sides {
  readonly nova: Pick<NovaReader, 'read' | 'readAgain' | 'lookUp'>
  readonly readLedger: () => Promise<Ledger>
  /** Waits between the two readings. */
  readonly settle: () => Promise<void>
}

export interface Reconciled extends Damage {
  readonly compared: Compared
  /** Findings of the first reading that are gone or different in the second, because the cloud is in use. */
  readonly passed: number
}

interface Compared {
  readonly servers: number
  readonly migrations: number
  readonly computes: number
  readonly providers: number
  readonly consumers: number
}

/**
 * Compares the ledger with Nova. What is found is looked at again, on both sides: a running cloud claims, moves and deletes between
 * two readings, and only what is the same in both looks is damage.
 */
export async function reconcile(sides: Sides, options: JudgeOptions): Promise<Reconciled> {
  const first = await look(sides, () => sides.nova.read(), options)
  if (first.damage.findings.length === 0) return report(first, first.damage.findings, 0)
  await sides.settle()
  const servers = listServers(first.damage.findings, first.nova)
  const second = await look(sides, () => sides.nova.readAgain(first.nova, servers), options)
  const seen = new Set(first.damage.findings.map(findingKey))
  const confirmed = second.damage.findings.filter(one => seen.has(findingKey(one)))
  return report(second, confirmed, first.damage.findings.length - confirmed.length)
}

interface Look {
  readonly nova: NovaState
  readonly ledger: Ledger
  readonly damage: Damage
}

/** Reads the ledger first: what it lacks, Nova is still working on. */
async function look(sides: Sides, read: () => Promise<NovaState>, options: JudgeOptions): Promise<Look> {
  const ledger = await sides.readLedger()
  const listed = await read()
  const nova = await sides.nova.lookUp(listed, await findStrangers(listed, ledger))
  return { nova, ledger, damage: await findDamage(nova, ledger, options) }
}

/** The servers that findings are about. */
function listServers(findings: readonly Finding[], { migrations, servers }: NovaState): Set<string> {
  const ofMigration = new Map(migrations.map(one => [one.uuid, one.server]))
  return new Set(
    findings.flatMap(({ subject: { id } }) => (servers.has(id) ? [id] : (ofMigration.get(id) ?? []))),
  )
}

const report = (
  { nova, ledger, damage }: Look,
  findings: readonly Finding[],
  passed: number,
): Reconciled => ({
  findings,
  notJudged: damage.notJudged,
  passed,
  compared: {
    servers: nova.servers.size,
    migrations: nova.migrations.length,
    computes: nova.computes.length,
    providers: ledger.providers.size,
    consumers: ledger.consumers.size,
  },
})
