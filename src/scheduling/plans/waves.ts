import type { PlannedMove } from './plan.ts'
import type { PlanWorld } from './plan-world.ts'

/**
 * The number of the wave of each move, from 1. The moves of one wave may be under way together, in any order: each server has room on
 * both its hosts, and no host has more moves than the budget allows.
 */
export async function splitIntoWaves(plan: PlanWorld, moves: readonly PlannedMove[]): Promise<number[]> {
  const waves: number[] = []
  let wave: PlannedMove[] = []
  let number = 1
  for (const move of moves) {
    if (wave.length > 0 && !(await canJoin(plan, wave, move))) {
      await plan.redo(wave)
      wave = []
      number++
    }
    wave.push(move)
    waves.push(number)
  }
  plan.undoTo(0)
  return waves
}

async function canJoin(plan: PlanWorld, wave: readonly PlannedMove[], move: PlannedMove): Promise<boolean> {
  const { atOncePerHostMax } = plan.budget
  const hosts = wave.flatMap(({ from, to }) => [from, to])
  const isBusy = [move.from, move.to].some(
    host => hosts.filter(one => one === host).length >= atOncePerHostMax,
  )
  if (isBusy || wave.length >= WAVE_MAX || wave.some(({ instance }) => instance === move.instance))
    return false
  if (!(await plan.canBeUnderWay([move])) || !(await plan.canBeUnderWay([...wave, move]))) return false
  for (const one of wave) if (!(await plan.canBeUnderWay([move, one]))) return false
  return true
}

/** A limit, because each move is compared with all others of its wave. */
const WAVE_MAX = 32
