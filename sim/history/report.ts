import type { Violation } from './explain.ts'
import { describeOperation, isWrite, type Operation, objectsOf } from './operation.ts'
import { isWell, type Result } from './run.ts'

const VIOLATIONS_MAX = 5
const OPERATIONS_MAX = 24
const LOG_LINES_MAX = 12
/** Operations that ended this long before, or began this long after, are not shown. */
const AROUND_MS = 60

/** A line for each run, and the details of one that failed. */
export function report(result: Result, tellsAll = false): string {
  const { scenario, seed, mutation, counts, revisions, verdict, recoveryMs } = result
  const name = mutation === null ? scenario : `${scenario} with ${mutation}`
  const objects = new Set(result.operations.flatMap(({ ask }) => objectsOf(ask) ?? []))
  const lines = [
    `${isWell(result) ? 'well  ' : 'WRONG '} ${name}, seed ${seed}: ${counts.operations} operations ` +
      `(${counts.done} done, ${counts.seen} reads, ${counts.refused} refused, ${counts.nothing} turned away, ` +
      `${counts.unknown} unknown), ${revisions} revisions, ${objects.size} objects, ` +
      `${verdict.lost.length} lost; all answered again after ${recoveryMs.toFixed(0)} ms`,
  ]
  if (!isWell(result) || tellsAll) lines.push(...result.notes.map(note => `    ${note}`))
  if (isWell(result)) return lines.join('\n')
  lines.push(...result.problems.map(problem => `  * ${problem}`))
  const { violations } = verdict
  lines.push(...violations.slice(0, VIOLATIONS_MAX).flatMap(one => describeViolation(one, result)))
  if (violations.length > VIOLATIONS_MAX) lines.push(`  … and ${violations.length - VIOLATIONS_MAX} more`)
  for (const [server, log] of Object.entries(result.logs))
    lines.push(`  log of server ${server}:`, ...withoutStacks(log).map(line => `    ${line}`))
  return lines.join('\n')
}

function withoutStacks(log: string): string[] {
  return log
    .split('\n')
    .filter(line => !/^\s+at |^StoreUnavailable/.test(line))
    .slice(-LOG_LINES_MAX)
}

function describeViolation(violation: Violation, { operations, events }: Result): string[] {
  const { what, operations: about } = violation
  const revision = (event: number) => {
    const found = events[event - 1]
    return found?.kind === 'revision' ? ` (revision ${found.revision})` : ''
  }
  const text = what.replace(/events? (\d+)/g, (word, event) => `${word}${revision(Number(event))}`)
  return [
    `  * ${text}`,
    ...about.map(one => `    > ${describeOperation(one)}`),
    ...around(violation, operations).map(one => `      ${describeOperation(one)}`),
  ]
}

/** Writes to the same objects at about the same time. */
function around({ operations: about, objects }: Violation, operations: readonly Operation[]): Operation[] {
  if (about.length === 0) return []
  const startMs = Math.min(...about.map(one => one.startMs)) - AROUND_MS
  const endMs = Math.max(...about.map(one => one.endMs)) + AROUND_MS
  const wanted = new Set([...objects, ...about.flatMap(({ ask }) => objectsOf(ask) ?? [])])
  return operations
    .filter(one => !about.includes(one) && isWrite(one.ask) && one.result.kind !== 'refused')
    .filter(one => one.endMs >= startMs && one.startMs <= endMs)
    .filter(({ ask }) => objectsOf(ask)?.some(uuid => wanted.has(uuid)) === true)
    .toSorted((a, b) => a.startMs - b.startMs)
    .slice(0, OPERATIONS_MAX)
}
