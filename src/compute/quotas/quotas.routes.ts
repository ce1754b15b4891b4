import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, objectOf, queryOf, text, whole } from '../../http/formats/schema-forms.ts'
import { requireAllowed } from '../../http/policy.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'
import { readQuery } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { Servers, sumHeld } from '../servers/servers.ts'
import type { Features } from '../versions.ts'

const LIMITS = 'os_compute_api:limits'
const QUOTAS = 'os_compute_api:os-quota-sets'
const UNLIMITED = -1

/** Nova's quotas, the names of their limits, and until when they are shown. Berth limits server groups alone. */
const RESOURCES: readonly {
  readonly name: string
  readonly limits?: readonly string[]
  readonly used?: string
  readonly until?: 'noNetworkQuotas' | 'noFileQuotas'
}[] = [
  { name: 'instances', limits: ['maxTotalInstances'], used: 'totalInstancesUsed' },
  { name: 'cores', limits: ['maxTotalCores'], used: 'totalCoresUsed' },
  { name: 'ram', limits: ['maxTotalRAMSize'], used: 'totalRAMUsed' },
  { name: 'fixed_ips', until: 'noNetworkQuotas' },
  {
    name: 'floating_ips',
    limits: ['maxTotalFloatingIps'],
    used: 'totalFloatingIpsUsed',
    until: 'noNetworkQuotas',
  },
  {
    name: 'security_groups',
    limits: ['maxSecurityGroups'],
    used: 'totalSecurityGroupsUsed',
    until: 'noNetworkQuotas',
  },
  { name: 'security_group_rules', limits: ['maxSecurityGroupRules'], until: 'noNetworkQuotas' },
  { name: 'metadata_items', limits: ['maxServerMeta', 'maxImageMeta'] },
  { name: 'injected_files', limits: ['maxPersonality'], until: 'noFileQuotas' },
  { name: 'injected_file_content_bytes', limits: ['maxPersonalitySize'], until: 'noFileQuotas' },
  { name: 'injected_file_path_bytes', until: 'noFileQuotas' },
  { name: 'key_pairs', limits: ['maxTotalKeypairs'] },
  { name: 'server_groups', limits: ['maxServerGroups'], used: 'totalServerGroupsUsed' },
  { name: 'server_group_members', limits: ['maxServerGroupMembers'] },
]

const listResources = (features: Features) =>
  RESOURCES.filter(({ until }) => until === undefined || !features[until])

type Resource = (typeof RESOURCES)[number]

const limitOf = ({ groupsPerProjectMax }: ComputeContext, { name }: Resource): number =>
  name === 'server_groups' ? groupsPerProjectMax : UNLIMITED

function countUsed({ world }: ComputeContext, project: string | null): Readonly<Record<string, number>> {
  const used = { instances: 0, cores: 0, ram: 0, server_groups: 0 }
  if (project === null) return used
  for (const { slot } of new Servers(world).ofProject(project)) {
    const { vcpus, ram } = sumHeld(world, slot)
    used.instances++
    used.cores += vcpus
    used.ram += ram
  }
  used.server_groups = world.compute.groups.all().filter(({ project_id }) => project_id === project).length
  return used
}

export function quotaRoutes(context: ComputeContext): ComputeRoute[] {
  return [limitsRoute(context), ...quotaSetRoutes(context)]
}

function limitsRoute(context: ComputeContext): ComputeRoute {
  const known = ['tenant_id', 'reserved'] as const
  return {
    method: 'GET',
    path: '/limits',
    operation: LIMITS,
    summary: 'Show the limits of a project and what it uses',
    query: features => queryOf(features.strictQueries ? ['tenant_id'] : known, features.strictQueries),
    answers: features => ({ 200: limitsSchema(features) }),
    handle(request) {
      const { query, features, credentials } = request
      const names = features.strictQueries ? (['tenant_id'] as const) : known
      const { tenant_id } = readQuery(query, names, { isStrict: features.strictQueries })
      if (tenant_id !== undefined) requireAllowed(context, request, `${LIMITS}:other_project`)
      return json(200, {
        limits: { rate: [], absolute: makeLimits(context, features, tenant_id ?? credentials.projectId) },
      })
    },
  }
}

function makeLimits(context: ComputeContext, features: Features, project: string | null): object {
  const used = countUsed(context, project)
  const absolute: Record<string, number> = emptyRecord()
  for (const resource of listResources(features)) {
    for (const name of resource.limits ?? [])
      if (name !== 'maxImageMeta' || !features.noImageMetadata) absolute[name] = limitOf(context, resource)
    if (resource.used !== undefined) absolute[resource.used] = ownValue(used, resource.name) ?? 0
  }
  return absolute
}

function limitsSchema(features: Features): Schema {
  const names = listResources(features).flatMap(({ limits = [], used }) => [
    ...limits,
    ...(used ? [used] : []),
  ])
  const shown = names.filter(name => name !== 'maxImageMeta' || !features.noImageMetadata)
  return objectOf({
    limits: objectOf({
      rate: listOf(objectOf({})),
      absolute: objectOf(Object.fromEntries(shown.map(name => [name, whole]))),
    }),
  })
}

function quotaSetRoutes(context: ComputeContext): ComputeRoute[] {
  const makeRoute = (
    path: string,
    operation: string,
    summary: string,
    show: (resource: Resource, used: Readonly<Record<string, number>>) => unknown,
    value: Schema,
  ): ComputeRoute => ({
    method: 'GET',
    path: `/os-quota-sets/{quota_project}${path}`,
    operation: `${QUOTAS}:${operation}`,
    asksPolicy: true,
    summary,
    answers: features => ({ 200: quotaSetSchema(features, value) }),
    handle(request) {
      const project = requireQuotaProject(context, request, operation)
      const used = operation === 'detail' ? countUsed(context, project) : {}
      const shown = listResources(request.features).map(one => [one.name, show(one, used)])
      return json(200, { quota_set: { id: project, ...Object.fromEntries(shown) } })
    },
  })
  const limit = (resource: Resource) => limitOf(context, resource)
  const detail = (resource: Resource, used: Readonly<Record<string, number>>) => ({
    in_use: ownValue(used, resource.name) ?? 0,
    limit: limit(resource),
    reserved: 0,
  })
  return [
    makeRoute('', 'show', 'Show the quotas of a project', limit, whole),
    makeRoute('/defaults', 'defaults', 'Show the default quotas', limit, whole),
    makeRoute(
      '/detail',
      'detail',
      'Show the quotas of a project and what it uses',
      detail,
      objectOf({ in_use: whole, limit: whole, reserved: whole }),
    ),
  ]
}

function requireQuotaProject(context: ComputeContext, request: ComputeRequest, operation: string): string {
  const project = param(request, 'quota_project')
  requireAllowed(context, request, `${QUOTAS}:${operation}`, project)
  if (context.isProject?.(project) === false)
    throw new ApiError(400, `Project ID ${project} is not a valid project.`)
  return project
}

const quotaSetSchema = (features: Features, value: Schema): Schema =>
  objectOf({
    quota_set: objectOf({
      id: text,
      ...Object.fromEntries(listResources(features).map(({ name }) => [name, value])),
    }),
  })
