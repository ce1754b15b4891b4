import { expect, test } from 'vitest'
import { type Imported, noCounts } from '../../placement/transfer/import.ts'
import { splitLines } from '../api/ndjson.ts'
import { type ChunkLines, ImportRun } from './import.ts'

const lines = (from: number, count: number): Buffer =>
  Buffer.from(
    Array.from({ length: count }, (_, nth) => `{"trait":{"name":"CUSTOM_${from + nth}"}}\n`).join(''),
  )

const sizeOf = (chunk: ChunkLines): number =>
  chunk.kind === 'placement:import-lines' ? chunk.lines.length : chunk.rows.length

test('the first lines are taken in while others are read; what comes while a command is under way goes together', async () => {
  const sizes: number[] = []
  const done: (() => void)[] = []
  const submit = (chunk: ChunkLines): Promise<Imported> => {
    sizes.push(sizeOf(chunk))
    return new Promise(resolve => done.push(() => resolve({ counts: noCounts(), stopped: null })))
  }
  const run = new ImportRun(submit, () => undefined)
  async function* body() {
    yield lines(0, 60)
    expect(sizes).toEqual([])
    yield lines(60, 160)
    // 156 lines wait for the running command.
    expect(sizes).toEqual([64])
    done[0]?.()
    yield lines(220, 10)
    expect(sizes).toEqual([64, 157])
    setTimeout(() => done[1]?.(), 5)
    // More lines than one command accepts, so reading pauses.
    yield lines(230, 300)
    expect(sizes).toEqual([64, 157, 256])
    done[2]?.()
  }
  await run.read(splitLines(body(), 1_000))
  expect(sizes).toEqual([64, 157, 256])
  expect(sizeOf(run.rest)).toBe(530 - 64 - 157 - 256)
})
