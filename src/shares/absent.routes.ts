import { ApiError, json } from '../http/api.ts'
import { objectOf } from '../http/formats/schema-forms.ts'
import { isExperimental } from './bodies.ts'
import type { ShareApiRequest, ShareRoute } from './context.ts'
import type { Features } from './versions.ts'

interface AbsentResource {
  readonly path: string
  /** The list in the answer. */
  readonly name: string
  readonly operation: string
  /** It has a detailed list too, with its own policy where one is named. */
  readonly detail?: string
  readonly since?: keyof Features
}

/** Resources of Manila that Berth never has. Dashboards list them for every back end. */
const ABSENT: readonly AbsentResource[] = [
  {
    path: '/share-networks',
    name: 'share_networks',
    operation: 'share_network:index',
    detail: 'share_network:detail',
  },
  {
    path: '/security-services',
    name: 'security_services',
    operation: 'security_service:index',
    detail: 'security_service:detail',
  },
  { path: '/share-servers', name: 'share_servers', operation: 'share_server:index' },
  {
    path: '/share_instances',
    name: 'share_instances',
    operation: 'share_instance:index',
    since: 'instances',
  },
  {
    path: '/share-groups',
    name: 'share_groups',
    operation: 'share_group:get_all',
    detail: 'share_group:get_all',
    since: 'shareGroups',
  },
  {
    path: '/share-group-snapshots',
    name: 'share_group_snapshots',
    operation: 'share_group_snapshot:get_all',
    detail: 'share_group_snapshot:get_all',
    since: 'shareGroups',
  },
  {
    path: '/share-group-types',
    name: 'share_group_types',
    operation: 'share_group_type:index',
    since: 'shareGroups',
  },
]

/** Lists that are always empty. One of these resources by its id is 404, like every unknown path. */
export function absentRoutes(): ShareRoute[] {
  return ABSENT.flatMap(resource => {
    const { path, operation, detail } = resource
    const list = makeList(resource, path, operation)
    return detail === undefined ? [list] : [list, makeList(resource, `${path}/detail`, detail)]
  })
}

function makeList({ name, since }: AbsentResource, path: string, operation: string): ShareRoute {
  return {
    method: 'GET',
    path,
    operation,
    summary: `List ${name.replaceAll('_', ' ')}: there are none`,
    answers: { 200: objectOf({ [name]: { type: 'array', maxItems: 0 } }) },
    ...(since === undefined ? {} : { since }),
    handle(request) {
      if (since === 'shareGroups') requireGroups(request)
      return json(200, { [name]: [] })
    },
  }
}

/** Share groups were experimental at first. */
function requireGroups(request: ShareApiRequest): void {
  if (!request.features.stableGroups && !isExperimental(request))
    throw new ApiError(
      404,
      'Below 2.55, share groups need the header X-OpenStack-Manila-API-Experimental: True.',
    )
}
