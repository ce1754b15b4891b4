/**
 * Loaded into a server with `--import`: measures the longest turn of its event loop, which is how long others waited. At
 * SIGUSR2 writes it to the file that BENCH_TURNS names, and begins again. Costs a whole processor.
 */
import { renameSync, writeFileSync } from 'node:fs'

export interface LongestTurn {
  readonly wallMs: number
  /** Processor time of the thread: does not count while another process has the processor. */
  readonly cpuMs: number
}

const readCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let last = { wallMs: performance.now(), cpuMs: readCpuMs() }
let longest: LongestTurn = { wallMs: 0, cpuMs: 0 }

function turn(): void {
  const now = { wallMs: performance.now(), cpuMs: readCpuMs() }
  longest = {
    wallMs: Math.max(longest.wallMs, now.wallMs - last.wallMs),
    cpuMs: Math.max(longest.cpuMs, now.cpuMs - last.cpuMs),
  }
  last = now
  setImmediate(turn)
}
turn()

process.on('SIGUSR2', () => {
  const file = process.env.BENCH_TURNS as string
  writeFileSync(`${file}.new`, JSON.stringify(longest))
  renameSync(`${file}.new`, file)
  longest = { wallMs: 0, cpuMs: 0 }
})
