import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Explanation, FunnelStep } from '../../placement/explain/explain.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import type { Remedy } from '../../placement/explain/remedies.ts'
import { constraintText, missText, remedyText } from '../../placement/explain/words.ts'
import type { World } from '../../world/world.ts'
import { list, object, oneOf, orNull, type Shape, text, whole, yesOrNo } from '../api/shape.ts'

/** How an explanation goes over the wire: to those who may see hosts, and to those who may not. */

const anything: Shape<unknown> = { schema: { type: 'object', description: 'Its kind and its numbers.' } }

const named = object('A provider.', { uuid: text('Its uuid.'), name: text('Its name.') })

export const explanation = object(
  'Why there are as many candidates as there are.',
  {
    revision: whole('The revision of the state that was looked at.'),
    candidates: whole('How many candidates there are.'),
    capped: yesOrNo('There are more than were counted.'),
    funnel: list(
      object('One part of the request.', {
        group: orNull(text('The suffix of its group; null where it is about all groups.')),
        constraint: anything,
        text: text('The same in words.'),
        providers_before: whole('Providers that could be used before this part was looked at.'),
        providers_after: whole('And after.'),
        trees_before: whole('Trees that could serve before.'),
        trees_after: whole('And after.'),
        verdict: oneOf(
          'Whether this part alone is to blame, keeps something out, or keeps nothing out.',
          'blocks',
          'narrows',
          'innocent',
        ),
      }),
      'The parts of the request in the order in which they were looked at.',
    ),
    changes: list(anything, 'Single changes that give a candidate; each was tried.'),
  },
  {
    nearest: list(
      object('A tree that does not serve.', { root: named, misses: list(anything, 'What it lacks.') }),
      'The trees that miss by least, best first. Only for those who may see hosts.',
    ),
  },
)

export function allTold(world: World, explained: Explanation): Record<string, unknown> {
  const named = (slot: ProviderSlot) => ({
    uuid: world.providers.uuid(slot),
    name: world.providers.name(slot),
  })
  const toldMiss = (miss: Miss) => ({ ...miss, provider: named(miss.provider), text: missText(world, miss) })
  const toldRemedy = (remedy: Remedy) => ({
    ...remedy,
    ...('provider' in remedy ? { provider: named(remedy.provider) } : {}),
    text: remedyText(world, remedy),
  })
  return {
    ...counts(explained),
    nearest: explained.nearest.map(({ root, misses }) => ({
      root: named(root),
      misses: misses.map(toldMiss),
    })),
    changes: explained.remedies.map(toldRemedy),
  }
}

/** No host, and no number that is not the caller's own. */
export function countsTold(explained: Explanation): Record<string, unknown> {
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
  return { revision, candidates, capped, funnel: funnel.map(toldStep) }
}

function toldStep({ constraint, before, after, verdict }: FunnelStep): Record<string, unknown> {
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
