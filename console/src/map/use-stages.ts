import { useEffect, useState } from 'react'
import { isSameLook, type Rack, type RackSection } from './racks.ts'

/** So many cells take a part of a frame only, also on a slow machine. */
const CELLS_PER_FRAME = 64

export interface Cell {
  readonly rack: Rack
  /** The resource class that it shows. */
  readonly name: string
}

export type Cells = readonly (readonly Cell[])[]

interface Stage {
  readonly sections: readonly RackSection[]
  readonly name: string
  readonly now: Cells
  /** What is on the screen where the new cells are not yet. */
  readonly before: Cells
  /** So many cells are new already. */
  readonly done: number
}

/** The cells of each section. Of many that change at once, each frame changes a part, from the top down. */
export function useStages(
  sections: readonly RackSection[],
  name: string,
  cellsMax: number,
): (section: number) => readonly Cell[] {
  const [stage, setStage] = useState<Stage>(() => begin([], sections, name, cellsMax))
  let current = stage
  if (stage.sections !== sections || stage.name !== name) {
    current = begin(
      stage.now.map((_, at) => mixCells(stage, at)),
      sections,
      name,
      cellsMax,
    )
    setStage(current)
  }
  const isOver = current.done >= countCells(current.now)
  useEffect(() => {
    if (isOver) return
    const frame = requestAnimationFrame(() =>
      setStage(last => ({ ...last, done: last.done + CELLS_PER_FRAME })),
    )
    return () => cancelAnimationFrame(frame)
  }, [current, isOver])
  return section => mixCells(current, section)
}

const begin = (before: Cells, sections: readonly RackSection[], name: string, cellsMax: number): Stage => {
  let left = cellsMax
  const now = sections.map(({ racks }) => {
    const shown = racks.slice(0, left).map(rack => ({ rack, name }))
    left -= shown.length
    return shown
  })
  return {
    sections,
    name,
    now,
    before,
    // Few changes, as claims make them, need no stages, and must not wait for them.
    done: countNew(before, now) <= CELLS_PER_FRAME ? Number.POSITIVE_INFINITY : CELLS_PER_FRAME,
  }
}

const countCells = (cells: Cells): number => cells.reduce((sum, { length }) => sum + length, 0)

const countNew = (before: Cells, now: Cells): number =>
  now.reduce(
    (sum, cells, section) => sum + cells.filter((cell, at) => isNew(before[section]?.[at], cell)).length,
    0,
  )

const isNew = (before: Cell | undefined, { rack, name }: Cell): boolean =>
  before === undefined || before.name !== name || !isSameLook(before.rack, rack)

/** Of a section: new ones as far as the stage has come, then those from before. */
export function mixCells(
  { now, before, done }: Pick<Stage, 'now' | 'before' | 'done'>,
  section: number,
): readonly Cell[] {
  const cells = now[section] ?? []
  const above = countCells(now.slice(0, section))
  const fresh = Math.max(0, Math.min(cells.length, done - above))
  if (fresh === cells.length) return cells
  return [...cells.slice(0, fresh), ...(before[section] ?? []).slice(fresh, cells.length)]
}
