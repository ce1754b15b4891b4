import { importLines } from '../placement/transfer/import.ts'
import type { CloudLine } from '../placement/transfer/lines.ts'
import { insert, update } from '../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../world/decision.ts'
import { decideInSequence } from '../world/rehearsal.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import { findConsumerFields, findProviderFields } from './own-ledger.ts'

export type Side = 'placement' | 'berth'

export type ShadowRow = Row<'shadow_settings'>

/** Others stop waiting for a process that has not reported for this long. */
const PROCESS_MS_MAX = 15_000
/**
 * A process that disappeared may still run without its store and forward writes to Placement. It stops before this time is over, and
 * until then Berth does not begin to answer writes.
 */
const SILENT_MS_MAX = 3_600_000
/** Another process takes the lead after this time. */
const LEASE_MS = 15_000

const FIRST: ShadowRow = {
  id: 1,
  reads: 'placement',
  writes: 'placement',
  is_ended: 0,
  hold_until: 0,
  held: '[]',
  processes: '{}',
  leader: '',
  leader_until: 0,
  changed_at: 0,
}

function put(world: World, changed: Partial<ShadowRow>): Decision<ShadowRow, never> {
  const before = world.shadow.row
  const after = { ...(before ?? FIRST), ...changed }
  return accept(
    { ops: [before === null ? insert('shadow_settings', after) : update('shadow_settings', before, after)] },
    after,
  )
}

interface ShadowProcess {
  readonly seen_ms: number
  /** The address of the Placement that it shadows. */
  readonly shadow_of: string
}

const parseProcesses = (row: ShadowRow): Record<string, ShadowProcess> => JSON.parse(row.processes)
export const parseHeld = (row: ShadowRow): string[] => JSON.parse(row.held)

/** Processes that reported recently. */
export const listProcesses = (row: ShadowRow, nowMs: number): string[] =>
  Object.entries(parseProcesses(row))
    .filter(([, { seen_ms }]) => seen_ms > nowMs - PROCESS_MS_MAX)
    .map(([id]) => id)

/** Also those that disappeared without notice. */
export const listAllProcesses = (row: ShadowRow): string[] => Object.keys(parseProcesses(row))

interface Beat {
  readonly member: string
  readonly url: string
  /** The store cannot be shared with another process. */
  readonly isAlone: boolean
}

/** The heartbeat of a process; one of them leads. Refused if others shadow another Placement. */
function beat(
  world: World,
  { member, url, isAlone }: Beat,
  nowMs: number,
): Decision<ShadowRow, { readonly kind: 'other-placement'; readonly url: string }> {
  const row = world.shadow.row ?? FIRST
  const describe = (seen_ms: number): ShadowProcess => ({ seen_ms, shadow_of: url })
  if (isAlone)
    return put(world, {
      processes: JSON.stringify({ [member]: describe(Number.MAX_SAFE_INTEGER) }),
      leader: member,
      leader_until: Number.MAX_SAFE_INTEGER,
      hold_until: 0,
      held: '[]',
    })
  const others = Object.entries(parseProcesses(row)).filter(([id]) => id !== member)
  const stranger = others.find(([, one]) => one.seen_ms > nowMs - PROCESS_MS_MAX && one.shadow_of !== url)
  if (stranger !== undefined) return refuse({ kind: 'other-placement', url: stranger[1].shadow_of })
  const known = others.filter(([, { seen_ms }]) => seen_ms > nowMs - SILENT_MS_MAX)
  const leads = row.leader === member || row.leader_until < nowMs
  return put(world, {
    processes: JSON.stringify({ ...Object.fromEntries(known), [member]: describe(nowMs) }),
    ...(leads ? { leader: member, leader_until: nowMs + LEASE_MS } : {}),
  })
}

function leave(world: World, { member }: { readonly member: string }) {
  const row = world.shadow.row
  if (row === null) return accept(NO_CHANGE, FIRST)
  const others = Object.fromEntries(Object.entries(parseProcesses(row)).filter(([id]) => id !== member))
  return put(world, {
    processes: JSON.stringify(others),
    ...(row.leader === member ? { leader: '', leader_until: 0 } : {}),
  })
}

/** No process lets a write pass for this time. */
function hold(world: World, { ms }: { readonly ms: number }, nowMs: number) {
  return put(world, { hold_until: ms === 0 ? 0 : nowMs + ms, held: '[]' })
}

function confirmHold(world: World, { member }: { readonly member: string }, nowMs: number) {
  const row = world.shadow.row
  if (row === null || row.hold_until < nowMs) return accept(NO_CHANGE, row ?? FIRST)
  return put(world, { held: JSON.stringify([...new Set([...parseHeld(row), member])]) })
}

interface Configure {
  readonly reads: Side
  readonly writes: Side
  readonly isEnded: boolean
  /** Refuses if the hold, on which the comparison relied, is over. */
  readonly needsHold: boolean
}

function configure(
  world: World,
  { reads, writes, isEnded, needsHold }: Configure,
  nowMs: number,
): Decision<ShadowRow, { readonly kind: 'hold-over' }> {
  const row = world.shadow.row ?? FIRST
  if (needsHold && row.hold_until < nowMs) return refuse({ kind: 'hold-over' })
  return put(world, {
    reads,
    writes,
    is_ended: isEnded ? 1 : 0,
    hold_until: 0,
    held: '[]',
    changed_at: nowMs,
  })
}

type MirrorRefusal =
  | { readonly kind: 'changed' }
  | { readonly kind: 'stopped'; readonly line: CloudLine; readonly reason: string }

interface MirrorCommand {
  readonly lines: readonly CloudLine[]
  /** The objects as JSON from which the lines were made; null if missing. */
  readonly expected: readonly (readonly [
    kind: 'provider' | 'consumer',
    uuid: string,
    fields: string | null,
  ])[]
}

/** Applies the lines to the ledger, with their generations, unless it has changed since they were made. */
function mirror(
  world: World,
  { lines, expected }: MirrorCommand,
  nowMs: number,
): Decision<null, MirrorRefusal> {
  for (const [kind, uuid, fields] of expected) {
    const now = kind === 'provider' ? findProviderFields(world, uuid) : findConsumerFields(world, uuid)
    if ((now === null ? null : JSON.stringify(now)) !== fields) return refuse({ kind: 'changed' })
  }
  const steps = splitLines(lines).map(some => (at: World): Decision<null, MirrorRefusal> => {
    const decision = importLines(at, { lines: some, exactGenerations: true }, nowMs)
    if (!decision.ok) return decision
    const { stopped } = decision.answer
    if (stopped === null) return accept(decision.change, null)
    const line = some[stopped.at] as CloudLine
    return refuse({ kind: 'stopped', line, reason: JSON.stringify(stopped.refusal) })
  })
  const decision = decideInSequence(world, steps)
  return decision.ok ? accept(decision.change, null) : decision
}

function describeSubject(line: CloudLine): string {
  const [kind = '', fields] = Object.entries(line)[0] ?? []
  const { uuid, name } = fields as { readonly uuid?: string; readonly name?: string }
  return `${kind.replace('remove_', '')} ${uuid ?? name}`
}

/** One import takes each object only once. */
function splitLines(lines: readonly CloudLine[]): CloudLine[][] {
  const parts: CloudLine[][] = []
  let seen = new Set<string>()
  for (const line of lines) {
    const subject = describeSubject(line)
    if (parts.length === 0 || seen.has(subject)) {
      parts.push([])
      seen = new Set()
    }
    seen.add(subject)
    parts.at(-1)?.push(line)
  }
  return parts
}

/** Changes nothing in memory: for rows that are only stored. */
const note = (): Decision<null, never> => accept(NO_CHANGE, null)

export const shadowRules = {
  'shadow:beat': beat,
  'shadow:leave': leave,
  'shadow:hold': hold,
  'shadow:confirm-hold': confirmHold,
  'shadow:configure': configure,
  'shadow:mirror': mirror,
  'shadow:note': note,
}

export type ShadowRules = typeof shadowRules
