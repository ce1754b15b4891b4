import type { Policy } from '../../http/policy.ts'
import { ATTENTION_ITEMS_DEFAULT, ATTENTION_ITEMS_MAX, attentionShape } from '../../wire/attention.ts'
import { object, whole } from '../../wire/shape.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { Attention } from './attention.ts'
import { ATTENTION_CHECKS } from './registry.ts'

/** All current findings in one answer. */
export function attentionRoutes(attention: () => Attention, policy: Policy): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/attention',
      operation: 'berth:attention',
      summary: 'List what needs attention, each with a remedy',
      description:
        'Looks for things that are wrong or soon will be: what is over capacity, full, down, refused, broken or ends soon. ' +
        'Each kind has a code that does not change, a total, the worst items, and one link and one command that lead to the ' +
        'remedy. Results are kept while nothing changes, so it is cheap to ask often; checks that take long are made every ' +
        'few seconds at most. A caller sees the findings of what it may read elsewhere; `not_allowed` names the rest. The ' +
        'same is in the metrics as `berth_attention`.\n\nThe codes, and the operation of those who see them:\n\n' +
        ATTENTION_CHECKS.map(
          ({ code, what, severity, operation }) => `* \`${code}\` (${severity}, \`${operation}\`): ${what}`,
        ).join('\n'),
      query: object(
        'How much.',
        {},
        {
          items: whole(`How many items of each finding at most; default: ${ATTENTION_ITEMS_DEFAULT}.`, {
            minimum: 0,
            maximum: ATTENTION_ITEMS_MAX,
          }),
        },
      ),
      answer: { description: 'The findings.', shape: attentionShape },
      handle: ({ query: { items = ATTENTION_ITEMS_DEFAULT }, credentials }) =>
        attention().answer(items, operation =>
          policy.allows(operation, credentials, { project_id: null, user_id: null }),
        ),
    }),
  ]
}
