import type { Schema } from '../../http/formats/json-schema.ts'
import {
  flag,
  links,
  listOf,
  mapOf,
  objectOf,
  oneOf,
  text,
  textOrNull,
  whole,
  wholeOrNull,
} from '../../http/formats/schema-forms.ts'
import { findZone, getHostRow, isHostUp } from '../../scheduling/hosts/hosts.ts'
import { renderTime } from '../bodies.ts'
import type { ComputeContext, ComputeRequest } from '../context.ts'
import { bookmarkLink, selfLink } from '../links.ts'
import type { Features } from '../versions.ts'
import { findFlavor, findImage, type Server } from './servers.ts'

const POLICY = 'os_compute_api:servers'

const makeLinks = (request: ComputeRequest, { uuid }: Server) => [
  selfLink(request, `servers/${uuid}`),
  bookmarkLink(request, `servers/${uuid}`),
]

/** The uuid takes the place of a name that Berth does not know. */
export const briefBody = (request: ComputeRequest, server: Server) => ({
  id: server.uuid,
  name: server.name,
  links: makeLinks(request, server),
})

export const briefSchema: Schema = objectOf({ id: text, name: text, links })

/** Without fractions of a second. */
const renderSecond = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`

/** A server as the requested version shows it; what Berth does not know is empty. */
export function serverBody(
  context: ComputeContext,
  request: ComputeRequest,
  server: Server,
): Record<string, unknown> {
  const { world, defaultZone } = context
  const { features } = request
  const image = findImage(world, server.slot)
  const written = renderSecond(server.writtenMs)
  return {
    ...briefBody(request, server),
    status: 'ACTIVE',
    tenant_id: server.projectId,
    user_id: server.userId,
    metadata: {},
    hostId: '',
    image: image === null ? '' : { id: image, links: [bookmarkLink(request, `images/${image}`)] },
    flavor: flavorBody(context, request, server),
    created: written,
    updated: written,
    addresses: {},
    accessIPv4: '',
    accessIPv6: '',
    'OS-DCF:diskConfig': 'MANUAL',
    progress: 0,
    'OS-EXT-AZ:availability_zone': findZone(world, server.host, defaultZone),
    config_drive: '',
    key_name: null,
    'OS-SRV-USG:launched_at': renderTime(server.writtenMs),
    'OS-SRV-USG:terminated_at': null,
    'OS-EXT-STS:task_state': null,
    'OS-EXT-STS:vm_state': 'active',
    // Nova's number for an unknown state.
    'OS-EXT-STS:power_state': 0,
    'os-extended-volumes:volumes_attached': [],
    ...hostFields(context, request, server),
    ...(features.serverLocks && { locked: false }),
    ...(features.serverDescription && { description: null }),
    ...(features.serverTags && { tags: [] }),
    ...(features.serverCertificates && { trusted_image_certificates: null }),
    ...(features.lockReasons && { locked_reason: null }),
    ...(features.openHostname && { 'OS-EXT-SRV-ATTR:hostname': server.uuid }),
  }
}

/** In the answer for one server, not in lists. */
export function groupsOf({ world: { compute } }: ComputeContext, { slot }: Server): string[] {
  const member = compute.groupOf(slot)
  return member === undefined ? [] : [compute.groups.row(member.group_id).uuid]
}

const isAllowed = (
  { policy }: ComputeContext,
  { credentials }: ComputeRequest,
  name: string,
  project: string,
) => policy.allows(name, credentials, { project_id: project })

/** Where a server is, for those who may know. */
function hostFields(context: ComputeContext, request: ComputeRequest, server: Server): object {
  const { features } = request
  const { projectId } = server
  const host = context.world.providers.name(server.host)
  const attributes = isAllowed(context, request, 'os_compute_api:os-extended-server-attributes', projectId)
  const mayKnowStatus =
    features.hostStatus && isAllowed(context, request, `${POLICY}:show:host_status`, projectId)
  return {
    ...(attributes && {
      'OS-EXT-SRV-ATTR:host': host,
      'OS-EXT-SRV-ATTR:instance_name': server.uuid,
      'OS-EXT-SRV-ATTR:hypervisor_hostname': host,
      ...(features.serverAttributes && {
        'OS-EXT-SRV-ATTR:hostname': server.uuid,
        'OS-EXT-SRV-ATTR:kernel_id': '',
        'OS-EXT-SRV-ATTR:launch_index': 0,
        'OS-EXT-SRV-ATTR:ramdisk_id': '',
        'OS-EXT-SRV-ATTR:reservation_id': '',
        'OS-EXT-SRV-ATTR:root_device_name': null,
        'OS-EXT-SRV-ATTR:user_data': null,
      }),
    }),
    ...(mayKnowStatus && { host_status: hostStatus(context, server) }),
  }
}

function hostStatus({ world }: ComputeContext, { host }: Server): 'UP' | 'DOWN' | 'MAINTENANCE' {
  const row = getHostRow(world, host)
  return !isHostUp(row) ? 'DOWN' : row.is_disabled === 1 ? 'MAINTENANCE' : 'UP'
}

function flavorBody(context: ComputeContext, request: ComputeRequest, server: Server): object {
  const flavor = findFlavor(context.world, server.slot)
  if (!request.features.serverFlavors)
    return { id: flavor.id, links: [bookmarkLink(request, `flavors/${encodeURIComponent(flavor.id)}`)] }
  const maySee = isAllowed(context, request, `${POLICY}:show:flavor-extra-specs`, server.projectId)
  const { vcpus, ram, disk, ephemeral, swap } = flavor
  return {
    vcpus,
    ram,
    disk,
    ephemeral,
    swap,
    original_name: flavor.name,
    ...(maySee && { extra_specs: flavor.extra_specs }),
  }
}

const ATTRIBUTE = 'OS-EXT-SRV-ATTR'

export function serverSchema(features: Features): Schema {
  const flavor = features.serverFlavors
    ? objectOf(
        { vcpus: whole, ram: whole, disk: whole, ephemeral: whole, swap: whole, original_name: text },
        { extra_specs: mapOf(text) },
      )
    : objectOf({ id: text, links })
  return objectOf(
    {
      id: text,
      name: text,
      links,
      status: oneOf('ACTIVE'),
      tenant_id: text,
      user_id: text,
      metadata: objectOf({}),
      hostId: oneOf(''),
      image: { anyOf: [oneOf(''), objectOf({ id: text, links })] },
      flavor,
      created: text,
      updated: text,
      addresses: objectOf({}),
      accessIPv4: oneOf(''),
      accessIPv6: oneOf(''),
      'OS-DCF:diskConfig': oneOf('MANUAL'),
      progress: whole,
      'OS-EXT-AZ:availability_zone': text,
      config_drive: text,
      key_name: textOrNull,
      'OS-SRV-USG:launched_at': text,
      'OS-SRV-USG:terminated_at': textOrNull,
      'OS-EXT-STS:task_state': textOrNull,
      'OS-EXT-STS:vm_state': oneOf('active'),
      'OS-EXT-STS:power_state': whole,
      'os-extended-volumes:volumes_attached': listOf(objectOf({ id: text })),
      ...(features.serverLocks && { locked: flag }),
      ...(features.serverDescription && { description: textOrNull }),
      ...(features.serverTags && { tags: listOf(text) }),
      ...(features.serverCertificates && { trusted_image_certificates: textOrNull }),
      ...(features.lockReasons && { locked_reason: textOrNull }),
    },
    {
      [`${ATTRIBUTE}:host`]: text,
      [`${ATTRIBUTE}:instance_name`]: text,
      [`${ATTRIBUTE}:hypervisor_hostname`]: text,
      ...(features.serverAttributes && {
        [`${ATTRIBUTE}:hostname`]: text,
        [`${ATTRIBUTE}:kernel_id`]: text,
        [`${ATTRIBUTE}:launch_index`]: wholeOrNull,
        [`${ATTRIBUTE}:ramdisk_id`]: text,
        [`${ATTRIBUTE}:reservation_id`]: text,
        [`${ATTRIBUTE}:root_device_name`]: textOrNull,
        [`${ATTRIBUTE}:user_data`]: textOrNull,
      }),
      ...(features.hostStatus && { host_status: oneOf('UP', 'DOWN', 'MAINTENANCE') }),
    },
  )
}
