import { expect, test } from 'vitest'
import { insert } from './change.ts'
import { accept, refuse } from './decision.ts'
import { decideInSequence, readWith, rehearse } from './rehearsal.ts'
import { World } from './world.ts'

const trait = (id: number) => ({ ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 0 })] })
const count = (world: World) => [...world.rows('traits')].length

test('what is supposed is seen at once, and undone at the end', () => {
  const world = new World()
  const seen = rehearse<number[]>(world, rehearsal => {
    rehearsal.suppose(trait(1))
    rehearsal.suppose(trait(2))
    const both = count(world)
    rehearsal.takeBack()
    return [both, count(world), rehearsal.change.ops.length]
  })
  expect(seen).toEqual([2, 1, 1])
  expect(count(world)).toBe(0)
})

test('it is undone where the rehearsal throws, or a change does not fit', () => {
  const world = new World()
  const run = () =>
    rehearse<null>(world, rehearsal => {
      rehearsal.suppose(trait(1))
      rehearsal.suppose(trait(1))
      return null
    })
  expect(run).toThrow()
  expect(count(world)).toBe(0)
  expect(() =>
    readWith<null>(world, trait(1), () => {
      throw new Error('a bug')
    }),
  ).toThrow('a bug')
  expect(count(world)).toBe(0)
})

test('a rehearsal cannot outlast its turn', () => {
  const world = new World()
  // @ts-expect-error a promise would look at the world after everything is undone
  expect(() => readWith(world, trait(1), async () => count(world))).toThrow('before anything else runs')
  expect(count(world)).toBe(0)
})

test('steps in sequence see the earlier ones and are one change, or none', () => {
  const world = new World()
  const step = (id: number) => (at: World) => accept(trait(id), count(at))
  const decision = decideInSequence<number, string>(world, [step(1), step(2)])
  expect(decision.ok && [decision.answer, decision.change.ops.length]).toEqual([[0, 1], 2])
  const refused = decideInSequence<number, string>(world, [step(1), () => refuse('no')])
  expect(refused).toEqual({ ok: false, refusal: 'no' })
  expect(count(world)).toBe(0)
})
