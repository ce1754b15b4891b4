import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { FaultyDisk, faultyDiskLibrary } from './faulty-disk.ts'

const CHILD = fileURLToPath(new URL('./store-child.ts', import.meta.url))
const library = faultyDiskLibrary()
if (library === null) console.warn('sim/disk: no C compiler, so tests of a disk that fails are left out')

class StoreProcess {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(disk: FaultyDisk) {
    this.#child = spawn(process.execPath, [CHILD, disk.directory], {
      env: { ...process.env, ...disk.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]()
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value as string
  }

  async there(): Promise<number[]> {
    return JSON.parse((await this.line()).slice('there '.length)) as number[]
  }

  async write(id: number): Promise<string> {
    this.#child.stdin?.write(`${id}\n`)
    return (await this.line()).split(' ')[0] as string
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }
}

function newDisk(): FaultyDisk {
  const disk = new FaultyDisk(library as string)
  onTestFinished(() => disk.remove())
  return disk
}

/** What each write was answered under some rules, and what is there after a power cut. */
async function afterPowerCut(disk: FaultyDisk, rules: readonly (readonly string[])[]) {
  const child = new StoreProcess(disk)
  await child.there()
  const answers = new Map<number, string>()
  for (const [at, rule] of rules.entries()) {
    disk.rule(...rule)
    const answer = await child.write(at + 1)
    answers.set(at + 1, answer)
    if (answer === 'unknown') break
  }
  await child.kill()
  disk.cutPower()
  const after = new StoreProcess(disk)
  const there = await after.there()
  await after.kill()
  return { answers: [...answers.values()], there }
}

const FINE: readonly string[] = []

test.skipIf(library === null)(
  'a write that was answered with "nothing was changed" after a failed flush is not there after a power cut',
  async () => {
    const rules = [FINE, ['sync EIO -wal 1'], FINE, ['sync EIO -wal 1']]
    expect(await afterPowerCut(newDisk(), rules)).toEqual({
      answers: ['stored', 'nothing', 'stored', 'nothing'],
      there: [1, 3],
    })
  },
)

test.skipIf(library === null)(
  'where the removal of the log cannot be made durable either, the outcome is not known',
  async () => {
    const rules = [FINE, ['sync EIO -wal 1', 'sync EIO .'], FINE]
    const { answers, there } = await afterPowerCut(newDisk(), rules)
    expect(answers).toEqual(['stored', 'unknown'])
    expect(there).toContain(1)
  },
)

test.skipIf(library === null)('a full disk leaves nothing, and what was acknowledged stays', async () => {
  const rules = [FINE, ['write ENOSPC -wal'], ['write half -wal'], FINE]
  expect(await afterPowerCut(newDisk(), rules)).toEqual({
    answers: ['stored', 'nothing', 'nothing', 'stored'],
    there: [1, 4],
  })
})
