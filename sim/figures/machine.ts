/** The machine: CPU time by process, and how many syncs a second its disk does. */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'

const TICKS_PER_SECOND = 100

/** CPU seconds of a process so far; 0 once it has ended. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** A process and all its children. */
export function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => [Number(name), parentOf(Number(name))] as const)
  return [pid, ...parents.filter(([, parent]) => parent === pid).map(([child]) => child)]
}

function parentOf(pid: number): number {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[1],
    )
  } catch {
    return -1
  }
}

/** How many small writes a second the disk syncs, one after the other. */
export function syncsPerSecond(forMs = 2_000): number {
  const directory = mkdtempSync(join(tmpdir(), 'berth-sync-'))
  const file = openSync(join(directory, 'file'), 'w')
  const block = Buffer.alloc(8_192, 1)
  const beganMs = performance.now()
  let count = 0
  for (; performance.now() < beganMs + forMs; count++) {
    writeSync(file, block, 0, block.length, (count % 1_000) * block.length)
    fdatasyncSync(file)
  }
  const seconds = (performance.now() - beganMs) / 1_000
  closeSync(file)
  rmSync(directory, { recursive: true, force: true })
  return count / seconds
}

export function machine(): string {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`
}

/** The quantile of a sorted list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
}
