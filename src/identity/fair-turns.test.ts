import { expect, test } from 'vitest'
import { FairTurns, type Lane, TurnsBusy } from './fair-turns.ts'

const known = (name: string): Lane => ({ name, isKnown: true })
const stranger = (name: string): Lane => ({ name, isKnown: false })

/** Work that is done in the order in which it got its turn, one piece at a time, when the test says so. */
function stage(limits = { atOnceMax: 1, waitingMax: 10, perLaneMax: 5 }) {
  const turns = new FairTurns(limits)
  const done: string[] = []
  const refused: string[] = []
  const open = Promise.withResolvers<void>()
  const all: Promise<void>[] = []
  const add = (lane: Lane, what: string) =>
    all.push(
      turns
        .run(lane, async () => {
          await open.promise
          done.push(what)
        })
        .catch(error => {
          expect(error).toBeInstanceOf(TurnsBusy)
          refused.push(what)
        }),
    )
  const finish = async () => {
    open.resolve()
    await Promise.all(all)
  }
  return { add, finish, done, refused }
}

test('lanes take turns: one with much to do does not make the others wait for all of it', async () => {
  const { add, finish, done } = stage()
  for (const what of ['a1', 'a2', 'a3', 'a4']) add(known('a'), what)
  add(known('b'), 'b1')
  add(known('c'), 'c1')
  await finish()
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

test('known and unknown alternate, however many strangers there are', async () => {
  const { add, finish, done } = stage()
  add(stranger('x'), 'x0')
  for (const name of ['p', 'q', 'r']) add(stranger(name), name)
  add(known('a'), 'a1')
  add(known('a'), 'a2')
  await finish()
  expect(done).toEqual(['x0', 'a1', 'p', 'a2', 'q', 'r'])
})

test('one lane has so many waiting and no more', async () => {
  const { add, finish, done, refused } = stage()
  for (let at = 0; at < 9; at++) add(known('a'), `a${at}`)
  add(known('b'), 'b')
  await finish()
  expect(refused).toEqual(['a6', 'a7', 'a8'])
  expect(done).toContain('b')
})

test('when the queue is full, a known account displaces a stranger', async () => {
  const { add, finish, done, refused } = stage({ atOnceMax: 1, waitingMax: 4, perLaneMax: 9 })
  for (let at = 0; at < 5; at++) add(stranger(`s${at}`), `s${at}`)
  add(stranger('late'), 'late')
  add(known('a'), 'a')
  await finish()
  expect(refused).toHaveLength(2)
  expect(refused).toContain('late')
  expect(done).toContain('a')
})

test('where no more can wait, a short lane takes the place of a longer one, and not the other way', async () => {
  const { add, finish, done, refused } = stage({ atOnceMax: 1, waitingMax: 4, perLaneMax: 9 })
  for (let at = 0; at < 5; at++) add(stranger('flood'), `f${at}`)
  add(stranger('victim'), 'v')
  add(stranger('flood'), 'f5')
  await finish()
  expect(refused).toEqual(['f5', 'f4'])
  expect(done).toContain('v')
})
