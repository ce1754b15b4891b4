import { ApiError } from '../../http/api.ts'
import { isAdmin, requireAllowed } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import type { ShareTypeRow, SnapshotRow } from '../../world/shares.ts'
import { findZone } from '../backends/zones.routes.ts'
import {
  makeFieldError,
  parseMetadata,
  readFlag,
  readSize,
  readText,
  readWrapped,
  requireShortValues,
} from '../bodies.ts'
import { requireProjectId, type ShareApiRequest, type ShareContext } from '../context.ts'
import { toApiError } from '../errors.ts'
import { findVisibleType } from '../share-types/share-types.routes.ts'
import { findDefaultType } from '../share-types/share-types.ts'
import { supportsCreateFrom } from '../snapshots/snapshots.ts'
import type { CreateShareAsk } from './create.ts'
import { listHintWarnings, parseHints, splitMetadata } from './hints.body.ts'

const PROTOCOLS = ['NFS', 'CIFS']

interface ParsedCreate {
  readonly ask: CreateShareAsk
  /** Parts of the request without effect. */
  readonly warnings: readonly string[]
}

/** Parses a request for a new share and checks what needs no scheduling. */
export function parseCreateShare(context: ShareContext, request: ShareApiRequest): ParsedCreate {
  const body = readWrapped(request, 'share')
  const { features } = request
  const admin = isAdmin(context, request.credentials)
  const isPublic = readFlag(body, 'is_public', false)
  if (isPublic) requireAllowed(context, request, 'share:create_public_share')
  const size = readSize(body, 'size')
  const protocol = parseProtocol(body)
  const given = parseMetadata(body.metadata)
  const { metadata, hints: ownHints } = splitMetadata(given, admin, features)
  requireShortValues(metadata)
  requireNone(body, 'share_group_id', 'share groups')
  requireNone(body, 'share_network_id', 'share networks')
  requireNone(body, 'source_backup_id', 'backups')
  const snapshot = findSnapshot(context, request, body)
  const type = chooseType(context, request, body, snapshot)
  const zone = chooseZone(context, request, body, type)
  const { onlyHost, ...hints } = features.hints
    ? parseHints(body.scheduler_hints)
    : { ...NO_HINTED_SHARES, onlyHost: null }
  const only = features.onlyHostHint ? onlyHost : null
  if (only !== null) requireAllowed(context, request, 'share:create:only_host')
  const ask: CreateShareAsk = {
    uuid: context.newUuid(),
    stepUuid: context.newUuid(),
    project: requireProjectId(request),
    user: request.credentials.userId,
    isAdmin: admin,
    size,
    protocol,
    type: type.uuid,
    isPublic,
    zone,
    name: readText(body, 'name') ?? readText(body, 'display_name'),
    onlyHost: only,
    hints,
    description: readText(body, 'description') ?? readText(body, 'display_description'),
    snapshot: snapshot?.uuid ?? null,
    metadata,
    ownHints: { ...NO_HINTED_SHARES, ...ownHints },
    checkOwnHints: features.checkedHintEdits,
  }
  return { ask, warnings: listHintWarnings(body.scheduler_hints, features) }
}

function requireNone(body: Json, field: string, what: string): void {
  const value = ownValue(body, field)
  if (value !== undefined && value !== null && value !== '')
    throw makeFieldError(field, value, `There are no ${what} here.`)
}

function parseProtocol(body: Json): string {
  const value = body.share_proto
  const protocol = typeof value === 'string' ? value.toUpperCase() : ''
  if (!PROTOCOLS.includes(protocol))
    throw makeFieldError('share_proto', value ?? null, `It must be one of ${PROTOCOLS.join(', ')}.`)
  return protocol
}

function findSnapshot(context: ShareContext, request: ShareApiRequest, body: Json): SnapshotRow | null {
  const id = readText(body, 'snapshot_id')
  if (id === null || id === '') return null
  const { shares } = context.world
  const row = shares.snapshots.find(id)
  const isMine = row?.project_id === request.credentials.projectId || isAdmin(context, request.credentials)
  if (row === undefined || !isMine) throw toApiError({ kind: 'snapshot-missing', snapshot: id })
  if (
    request.features.createFromSnapshotSupport &&
    !supportsCreateFrom(context.world, shares.shares.row(row.share_id))
  )
    throw makeFieldError(
      'snapshot_id',
      id,
      'The type of its share has no create_share_from_snapshot_support.',
    )
  return row
}

/** The given type, else that of the snapshot's share, else the default. */
function chooseType(
  context: ShareContext,
  request: ShareApiRequest,
  body: Json,
  snapshot: SnapshotRow | null,
): ShareTypeRow {
  const { shares } = context.world
  if (Object.hasOwn(body, 'share_type') && Object.hasOwn(body, 'volume_type'))
    throw makeFieldError(
      'volume_type',
      body.volume_type,
      'Only one of share_type and volume_type can be given.',
    )
  const wanted = readText(body, 'share_type') ?? readText(body, 'volume_type')
  if (wanted === null || wanted === '') {
    if (snapshot !== null) return shares.types.row(shares.shares.row(snapshot.share_id).type_id)
    const row = findDefaultType(context.world)
    if (row === undefined)
      throw new ApiError(400, 'There is no default share type, so share_type is required.')
    return row
  }
  const row = findVisibleType(context, request, wanted)
  if (row === undefined) throw toApiError({ kind: 'type-missing', type: wanted })
  if (/^(<is> *)?true$/i.test(shares.getSpecs(row.id).get('driver_handles_share_servers') ?? ''))
    throw makeFieldError('share_type', wanted, 'It needs a share network, and there are none here.')
  return row
}

function chooseZone(
  { world }: ShareContext,
  { features }: ShareApiRequest,
  body: Json,
  type: ShareTypeRow,
): string | null {
  const wanted = features.zoneAtCreate ? readText(body, 'availability_zone') : null
  if (wanted === null || wanted === '') return null
  const zone = findZone(world, wanted)
  if (zone === undefined) throw new ApiError(404, `Availability zone ${wanted} could not be found.`)
  const ofType = (world.shares.getSpecs(type.id).get('availability_zones') ?? '')
    .split(',')
    .map(one => one.trim())
  if (features.typeZones && ofType[0] !== '' && !ofType.includes(zone))
    throw makeFieldError(
      'availability_zone',
      wanted,
      `Share type ${type.name} is for ${ofType.join(', ')} only.`,
    )
  return zone
}
