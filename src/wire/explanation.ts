import {
  anyObject,
  list,
  object,
  oneOf,
  openObject,
  orNull,
  type TypeOf,
  text,
  whole,
  yesOrNo,
} from './shape.ts'

const namedProviderShape = object('A provider.', { uuid: text('Its uuid.'), name: text('Its name.') })

export const explanationShape = object(
  'Why there are as many candidates as there are.',
  {
    revision: whole('The revision of the state that was looked at.'),
    candidates: whole('How many candidates there are.'),
    capped: yesOrNo('There are more than were counted.'),
    funnel: list(
      object('One part of the request.', {
        group: orNull(text('The suffix of its group; null where it is about all groups.')),
        constraint: anyObject('Its kind and its numbers.'),
        text: text('As a sentence.'),
        providers_before: whole('Providers that could be used before this part was looked at.'),
        providers_after: whole('And after.'),
        trees_before: whole('Trees that could serve before.'),
        trees_after: whole('And after.'),
        verdict: oneOf(
          'Whether this part alone is to blame, keeps something out, keeps out only what earlier parts keep out already, or keeps nothing out.',
          'blocks',
          'narrows',
          'redundant',
          'innocent',
        ),
      }),
      'The parts of the request in the order in which they were looked at.',
    ),
    changes: list(
      openObject('Its kind, its numbers, and the same in words.', {
        kind: text('Its kind.'),
        text: text('As a sentence.'),
      }),
      'Single changes that give a candidate; each was tried.',
    ),
  },
  {
    nearest: list(
      object('A tree that does not serve.', {
        root: namedProviderShape,
        misses: list(
          openObject('Its kind and its numbers.', {
            kind: text('Its kind.'),
            provider: namedProviderShape,
            text: text('As a sentence.'),
          }),
          'What it lacks.',
        ),
      }),
      'The trees that miss by least, best first. Only for those who may see hosts.',
    ),
  },
)

/** The answer of GET /v1/explain/allocation_candidates. */
export type Explanation = TypeOf<typeof explanationShape>
export type NamedProvider = TypeOf<typeof namedProviderShape>
