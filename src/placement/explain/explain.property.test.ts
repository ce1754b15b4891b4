/** Checks on random clouds that every statement of an explanation is true. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { behaviourOf, buildWorld, questionnaires } from '../../../test/clouds.ts'
import { countRuns } from '../../../test/property-runs.ts'
import type { World } from '../../world/world.ts'
import type { CandidateBehaviour, CandidateRequest } from '../candidates/request.ts'
import { isServable } from './census.ts'
import { type Constraint, constraintsOf, requestOf } from './constraints.ts'
import { EXPLAIN_LIMITS, type Explanation, explain, without } from './explain.ts'
import { changeOf, type Remedy } from './remedies.ts'

const RUNS = countRuns(150)
const { stepsMax } = EXPLAIN_LIMITS

interface Asked {
  readonly world: World
  readonly request: CandidateRequest
  readonly behaviour: CandidateBehaviour
  readonly answer: Explanation
}

async function forAll(check: (asked: Asked) => void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(questionnaires(6), async ({ cloud, queries }) => {
      const world = buildWorld(cloud)
      for (const { minor, request } of queries) {
        const behaviour = behaviourOf(minor)
        const answer = await explain(world, request, behaviour, async () => undefined)
        if (answer.kind === 'explanation') check({ world, request, behaviour, answer })
      }
    }),
    { numRuns: RUNS },
  )
}

const servable = ({ world, behaviour }: Asked, request: CandidateRequest): boolean =>
  isServable(world, request, behaviour, stepsMax)

const wholeOf = (request: CandidateRequest): readonly Constraint[] => constraintsOf(request)

test('every proposed change gives a candidate', async () => {
  let tried = 0
  await forAll(asked => {
    for (const remedy of asked.answer.remedies) {
      tried++
      expect(helps(asked, remedy), JSON.stringify(remedy)).toBe(true)
    }
  })
  expect(tried).toBeGreaterThan(RUNS / 2)
})

function helps(asked: Asked, remedy: Remedy): boolean {
  const { world, request } = asked
  const all = wholeOf(request)
  if (remedy.kind === 'drop') {
    const same = all.find(one => JSON.stringify(one) === JSON.stringify(remedy.constraint)) as Constraint
    return servable(asked, requestOf(request, without(all, same)))
  }
  if (remedy.kind === 'drop-group') {
    const kept = all.filter(one => !('group' in one) || one.group !== remedy.group)
    return servable(asked, requestOf(request, new Set(kept)))
  }
  if (remedy.kind === 'ask-less' || remedy.kind === 'ask-more') {
    const groups = request.groups.map(group =>
      group.suffix === remedy.group
        ? { ...group, resources: new Map(group.resources).set(remedy.class, remedy.to) }
        : group,
    )
    return remedy.to !== remedy.from && servable(asked, { ...request, groups })
  }
  const change = changeOf(world, remedy)
  if (change === null) return false
  world.apply(change)
  const helped = servable(asked, request)
  world.undo(change)
  return helped
}

test('no part that is called innocent is the only one that fails', async () => {
  await forAll(asked => {
    const { request, answer } = asked
    if (answer.candidates > 0) return
    const all = wholeOf(request)
    answer.funnel.forEach(({ verdict }, at) => {
      const one = all[at] as Constraint
      const relieved = servable(asked, requestOf(request, without(all, one)))
      if (relieved) expect([one, verdict]).toEqual([one, 'blocks'])
      // Another amount of a group's only resource may work even if the smallest amount does not.
      else if (one.kind !== 'resource') expect([one, verdict]).not.toEqual([one, 'blocks'])
    })
  })
})

test('the funnel only narrows, and its end agrees with the answer', async () => {
  await forAll(({ answer }) => {
    for (const { before, after } of answer.funnel) {
      expect(after.trees).toBeLessThanOrEqual(before.trees)
      expect(after.providers).toBeLessThanOrEqual(before.providers)
    }
    const end = answer.funnel.at(-1)
    if (end !== undefined) expect(end.after.trees > 0).toBe(answer.candidates > 0)
  })
})

test('looking for changes leaves the world as it was', async () => {
  await fc.assert(
    fc.asyncProperty(questionnaires(3), async ({ cloud, queries }) => {
      const world = buildWorld(cloud)
      const rows = () =>
        JSON.stringify(
          ['inventories', 'provider_traits', 'provider_aggregates', 'resource_providers'].map(table =>
            [...world.rows(table as 'inventories')].map(row => JSON.stringify(row)).sort(),
          ),
        )
      const before = rows()
      for (const { minor, request } of queries)
        await explain(world, request, behaviourOf(minor), async () => undefined)
      expect(rows()).toBe(before)
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  )
})
