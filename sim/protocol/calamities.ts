import type { Database } from './database.ts'
import type { SimProcess } from './process.ts'
import type { Chance } from './schedule.ts'

/**
 * Faults of the processes of a run, besides those of the database; a seed draws some of them. A
 * standby that takes over with all commits looks like a restart; one without the last of them has another history.
 */
const CALAMITIES = ['pause', 'pause and lose', 'crash', 'stop', 'cut', 'cut all'] as const
type Calamity = (typeof CALAMITIES)[number]

interface Scene {
  readonly database: Database
  /** The running processes. */
  readonly processes: SimProcess[]
  /** Restarts a process that ended. */
  readonly start: (nth: number) => SimProcess
  readonly isOver: () => boolean
}

/** Starts a few faults, of the kinds of this seed, at random times. */
export function plan(scene: Scene, withinMs: number): void {
  const { schedule, chance } = scene.database.surroundings
  const kinds = [...Object.keys(scene.database.blows), ...CALAMITIES].filter(() => chance.happens(0.45))
  if (kinds.length === 0) return
  for (let left = chance.whole(0, 5); left > 0; left--) {
    const kind = chance.pick(kinds)
    schedule.after(chance.between(0, withinMs), () => {
      if (!scene.isOver()) befall(scene, kind, chance)
    })
  }
}

function befall(scene: Scene, kind: string, chance: Chance): void {
  const { database, processes } = scene
  const nth = chance.whole(0, processes.length - 1)
  const process = processes[nth] as SimProcess
  const briefMs = chance.happens(0.7) ? chance.between(0, 300) : chance.between(300, 5_000)
  database.surroundings.say?.(`calamity: ${kind}`)
  const deeds: Record<Calamity, () => void> = {
    pause: () => pause(scene, process, chance.between(50, 8_000)),
    'pause and lose': () => {
      pause(scene, process, chance.between(300, 5_000))
      database.surroundings.schedule.after(briefMs, () => {
        if (!scene.isOver()) database.failHard(briefMs)
      })
    },
    crash: () => crash(scene, nth, briefMs),
    stop: () => stop(scene, nth),
    cut: () => process.links.cut(),
    'cut all': () => {
      for (const one of processes) one.links.cut()
    },
  }
  const blow = database.blows[kind]
  if (blow === undefined) deeds[kind as Calamity]()
  else blow(briefMs)
}

function pause({ database }: Scene, process: SimProcess, ms: number): void {
  database.surroundings.say?.(`${process.name}: paused for ${ms.toFixed(0)} ms`)
  database.surroundings.met('a process was paused')
  process.gate.pauseFor(ms)
}

function stop({ processes, start }: Scene, nth: number): void {
  const process = processes[nth] as SimProcess
  if (process.isDead || process.running === null) return
  process.stop(() => {
    processes[nth] = start(nth)
  })
}

function crash({ database, processes, start }: Scene, nth: number, downMs: number): void {
  const process = processes[nth] as SimProcess
  if (process.isDead) return
  process.crash()
  database.surroundings.schedule.after(downMs, () => {
    processes[nth] = start(nth)
  })
}
