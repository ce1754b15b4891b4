import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ConstraintStep, Explanation } from '../../placement/explain/explain.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import type { Remedy } from '../../placement/explain/remedies.ts'
import { constraintText, missText, remedyText } from '../../placement/explain/words.ts'
import type { Explanation as ExplanationBody } from '../../wire/explanation.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'

/** The work grows fast: every part of every group is tried together with all parts before it, on every tree. */
export const GROUPS_MAX = 20

export function explanationBody(world: World, explained: Explanation): ExplanationBody {
  const nameProvider = (slot: ProviderSlot) => ({
    uuid: world.providers.uuid(slot),
    name: world.providers.name(slot),
  })
  const missBody = (miss: Miss) => ({
    ...miss,
    provider: nameProvider(miss.provider),
    text: missText(world, miss),
  })
  const remedyBody = (remedy: Remedy) => ({
    ...remedy,
    ...('provider' in remedy ? { provider: nameProvider(remedy.provider) } : {}),
    text: remedyText(world, remedy),
  })
  return {
    ...renderCounts(explained),
    nearest: explained.nearest.map(({ root, misses }) => ({
      root: nameProvider(root),
      misses: misses.map(missBody),
    })),
    changes: explained.remedies.map(remedyBody),
  }
}

type OwnChange = ExplanationBody['changes'][number] & Readonly<Record<string, unknown>>

/** Without hosts, and only with numbers of the caller's own request. */
export function countsBody(explained: Explanation): ExplanationBody {
  const own = explained.remedies.flatMap((remedy): OwnChange[] => {
    if (remedy.kind === 'drop') return [{ ...remedy, text: `Drop: ${constraintText(remedy.constraint)}.` }]
    if (remedy.kind === 'drop-group') return [{ ...remedy, text: `Drop group ${remedy.group}.` }]
    if (remedy.kind !== 'ask-less' && remedy.kind !== 'ask-more') return []
    const { kind, group, class: name, from } = remedy
    const which = kind === 'ask-less' ? 'less' : 'more'
    return [
      {
        kind,
        group,
        class: name,
        from,
        text: `Ask for ${which} than ${from} of ${name}; only admins see how much.`,
      },
    ]
  })
  return { ...renderCounts(explained), changes: own }
}

function renderCounts({ revision, candidates, capped, funnel }: Explanation) {
  return { revision, candidates, capped, funnel: funnel.map(stepBody) }
}

function stepBody({ constraint, before, after, verdict }: ConstraintStep) {
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

export const explainBusy = (): Problem =>
  new Problem(503, 'explain.busy', 'Too many explanations are running: try again.')
