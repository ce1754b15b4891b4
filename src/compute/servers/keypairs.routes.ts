import { json } from '../../http/api.ts'
import { listOf, objectOf, queryOf } from '../../http/formats/schema-forms.ts'
import { readQuery } from '../bodies.ts'
import type { ComputeRequest, ComputeRoute } from '../context.ts'
import type { Features } from '../versions.ts'

const parametersFor = ({ keysOfOthers, hypervisorPages }: Features) => [
  ...(keysOfOthers ? ['user_id'] : []),
  ...(hypervisorPages ? ['limit', 'marker'] : []),
]

const ownerOf = ({ features, query, credentials }: ComputeRequest): string =>
  (features.keysOfOthers ? query.last('user_id') : undefined) ?? credentials.userId

/** Berth has no key pairs. */
export function keypairRoutes(): ComputeRoute[] {
  return [
    {
      method: 'GET',
      path: '/os-keypairs',
      operation: 'os_compute_api:os-keypairs:index',
      target: request => ({ project_id: request.credentials.projectId, user_id: ownerOf(request) }),
      summary: 'List key pairs: there are none',
      query: features => queryOf(parametersFor(features), features.strictQueries),
      answers: { 200: objectOf({ keypairs: listOf(objectOf({})) }) },
      handle({ features, query }) {
        readQuery(query, parametersFor(features), { isStrict: features.strictQueries })
        return json(200, { keypairs: [] })
      },
    },
  ]
}
