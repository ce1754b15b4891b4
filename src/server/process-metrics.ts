import { readdirSync, readFileSync } from 'node:fs'
import type { GaugeReading, Registry } from '../http/ops/metrics.ts'
import type { EngineName } from '../store/engines.ts'

/** Where Linux describes this process. */
const PROC = '/proc'
/** Clock ticks per second in /proc: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

interface ProcessStat {
  readonly cpuSeconds: number
  readonly startTicks: number
  readonly virtualBytes: number
}

/** The standard names of Prometheus' client libraries. Like those, they have no series on systems without /proc. */
export function addProcessMetrics(registry: Registry, proc = PROC): void {
  const files = new ProcessFiles(proc)
  registry.readCounter('process_cpu_seconds_total', 'CPU time of the process, user and system.', () =>
    sampleOf(files.stat()?.cpuSeconds),
  )
  registry.gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    sampleOf(files.residentBytes()),
  )
  registry.gauge('process_virtual_memory_bytes', 'Virtual memory of the process.', () =>
    sampleOf(files.stat()?.virtualBytes),
  )
  registry.gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () =>
    sampleOf(files.startSeconds()),
  )
  registry.gauge('process_open_fds', 'Open file descriptors.', () => sampleOf(files.openFiles()))
  registry.gauge('process_max_fds', 'Limit of open file descriptors.', () => sampleOf(files.openFilesMax()))
  registry.readCounter(
    'berth_event_loop_active_seconds_total',
    'Time in which the event loop was busy. At almost 1 second per second, the process is at its limit.',
    () => performance.eventLoopUtilization().active / 1000,
  )
}

/** How many files and connections this process may have open; null if the system does not say. */
export const readOpenFilesMax = (proc = PROC): number | null => new ProcessFiles(proc).openFilesMax()

export function addBuildInfo(registry: Registry, version: string, store: EngineName): void {
  registry.gauge(
    'berth_build_info',
    'Always 1; its labels are the version of Berth and the kind of its store.',
    () => [{ labels: [version, store], value: 1 }],
    ['version', 'store'],
  )
}

const sampleOf = (value: number | null | undefined): GaugeReading =>
  value === null || value === undefined ? [] : [{ labels: [], value }]

/** Reads files that the kernel generates, so there is no wait for a disk. */
class ProcessFiles {
  readonly #proc: string

  constructor(proc: string) {
    this.#proc = proc
  }

  stat(): ProcessStat | null {
    const text = this.#read('self/stat')
    if (text === null) return null
    // The program name is in parentheses and may contain blanks; the fields after it are counted from the
    // third.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, startTicks, virtualBytes] = [11, 12, 19, 20].map(nth => Number(fields[nth]))
    return {
      cpuSeconds: ((user as number) + (system as number)) / TICKS_PER_SECOND,
      startTicks: startTicks as number,
      virtualBytes: virtualBytes as number,
    }
  }

  residentBytes(): number | null {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(this.#read('self/status') ?? '')
    return match === null ? null : Number(match[1]) * 1024
  }

  startSeconds(): number | null {
    const stat = this.stat()
    const boot = /^btime (\d+)$/m.exec(this.#read('stat') ?? '')
    return stat === null || boot === null ? null : Number(boot[1]) + stat.startTicks / TICKS_PER_SECOND
  }

  openFiles(): number | null {
    try {
      return readdirSync(`${this.#proc}/self/fd`).length
    } catch {
      return null
    }
  }

  openFilesMax(): number | null {
    const match = /^Max open files\s+(\d+)/m.exec(this.#read('self/limits') ?? '')
    return match === null ? null : Number(match[1])
  }

  #read(path: string): string | null {
    try {
      return readFileSync(`${this.#proc}/${path}`, 'utf8')
    } catch {
      return null
    }
  }
}
