import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ConstraintStep, Explanation } from '../../placement/explain/explain.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import type { Remedy } from '../../placement/explain/remedies.ts'
import { constraintText, missText, remedyText } from '../../placement/explain/words.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'

export function explanationBody(world: World, explained: Explanation): Record<string, unknown> {
  const named = (slot: ProviderSlot) => ({
    uuid: world.providers.uuid(slot),
    name: world.providers.name(slot),
  })
  const missBody = (miss: Miss) => ({ ...miss, provider: named(miss.provider), text: missText(world, miss) })
  const remedyBody = (remedy: Remedy) => ({
    ...remedy,
    ...('provider' in remedy ? { provider: named(remedy.provider) } : {}),
    text: remedyText(world, remedy),
  })
  return {
    ...counts(explained),
    nearest: explained.nearest.map(({ root, misses }) => ({
      root: named(root),
      misses: misses.map(missBody),
    })),
    changes: explained.remedies.map(remedyBody),
  }
}

/** No host, and no number that is not the caller's own. */
export function countsBody(explained: Explanation): Record<string, unknown> {
  const own = explained.remedies.flatMap((remedy): Record<string, unknown>[] => {
    if (remedy.kind === 'drop')
      return [{ ...remedy, text: `Do without: ${constraintText(remedy.constraint)}.` }]
    if (remedy.kind === 'drop-group') return [{ ...remedy, text: `Do without group ${remedy.group}.` }]
    if (remedy.kind !== 'ask-less' && remedy.kind !== 'ask-more') return []
    const { kind, group, class: name, from } = remedy
    const which = kind === 'ask-less' ? 'less' : 'more'
    return [
      {
        kind,
        group,
        class: name,
        from,
        text: `Ask for ${which} than ${from} of ${name}; how much is not told.`,
      },
    ]
  })
  return { ...counts(explained), changes: own }
}

function counts({ revision, candidates, capped, funnel }: Explanation): Record<string, unknown> {
  return { revision, candidates, capped, funnel: funnel.map(stepBody) }
}

function stepBody({ constraint, before, after, verdict }: ConstraintStep): Record<string, unknown> {
  return {
    group: 'group' in constraint ? constraint.group : null,
    constraint,
    text: constraintText(constraint),
    providers_before: before.providers,
    providers_after: after.providers,
    trees_before: before.trees,
    trees_after: after.trees,
    verdict,
  }
}

/** When as many explanations are under way as the server makes at once. */
export const explainBusy = (): Problem =>
  new Problem(503, 'explain.busy', 'As many explanations as this server makes at once are under way.')
