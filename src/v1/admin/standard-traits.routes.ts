import { STANDARD_NAMES_MAX } from '../../kernel/standard-names.ts'
import { list, object, text } from '../../wire/shape.ts'
import { type V1Route, v1Write } from '../api/route.ts'

/** For standard traits newer than this version of Berth. */
export function standardTraitRoutes(): V1Route[] {
  return [
    v1Write({
      method: 'POST',
      path: '/standard-traits',
      operation: 'berth:standard-traits',
      summary: 'Add standard traits that this version does not know',
      description:
        'os-traits grows with every OpenStack release, and nova-compute reports what it finds there. Names that exist ' +
        'already are left as they are. The traits hold on every server of this store and cannot be deleted.',
      body: object('The names.', {
        traits: list(
          text('A name that does not start with CUSTOM_.', {
            maxLength: 255,
            pattern: '^(?!CUSTOM_)[A-Z0-9_]+$',
          }),
          'The names.',
          { minItems: 1, maxItems: STANDARD_NAMES_MAX },
        ),
      }),
      answer: {
        description: 'Which of them are new.',
        shape: object('What was added.', { added: list(text('A name.'), 'The names that were not there.') }),
      },
      async write({ body, once }) {
        return once.submit({ kind: 'placement:learn-traits', traits: body.traits }, outcome => {
          if (!outcome.ok) throw outcome.refusal
          return { status: 200, body: outcome.answer }
        })
      },
    }),
  ]
}
