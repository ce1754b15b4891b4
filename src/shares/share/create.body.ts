import { ApiError } from '../../http/api.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import type { ShareTypeRow, SnapshotRow } from '../../world/shares.ts'
import { zoneNamed } from '../backends/zones.routes.ts'
import { badField, flagIn, metadataIn, readWrapped, requireShortValues, sizeIn, textIn } from '../bodies.ts'
import { isAdmin, projectOf, requireAllowed, type ShareApiRequest, type ShareContext } from '../context.ts'
import { refused } from '../errors.ts'
import { visibleType } from '../share-types/share-types.routes.ts'
import { defaultType } from '../share-types/share-types.ts'
import { supportsCreateFrom } from '../snapshots/snapshots.ts'
import type { CreateShareAsk } from './create.ts'
import { hintsIn, splitMetadata, unreadHintTexts } from './hints.body.ts'

const PROTOCOLS = ['NFS', 'CIFS']

interface ParsedCreate {
  readonly ask: CreateShareAsk
  /** What is asked for and does nothing. */
  readonly warnings: readonly string[]
}

/** A new share as it is asked for, everything checked that can be checked by looking. */
export function parseCreateShare(context: ShareContext, request: ShareApiRequest): ParsedCreate {
  const body = readWrapped(request, 'share')
  const { features } = request
  const admin = isAdmin(context, request.credentials)
  const isPublic = flagIn(body, 'is_public', false)
  if (isPublic) requireAllowed(context, request, 'share:create_public_share')
  const size = sizeIn(body, 'size')
  const protocol = protocolIn(body)
  const given = metadataIn(body.metadata)
  const { metadata, hints: ownHints } = splitMetadata(given, admin)
  requireShortValues(metadata)
  requireNone(body, 'share_group_id', 'share groups')
  requireNone(body, 'share_network_id', 'share networks')
  requireNone(body, 'source_backup_id', 'backups')
  const snapshot = snapshotIn(context, request, body)
  const type = typeIn(context, request, body, snapshot)
  const zone = zoneIn(context, request, body, type)
  const { onlyHost, ...hints } = features.hints
    ? hintsIn(body.scheduler_hints)
    : { ...NO_HINTED_SHARES, onlyHost: null }
  const only = features.onlyHostHint ? onlyHost : null
  if (only !== null) requireAllowed(context, request, 'share:create:only_host')
  const ask: CreateShareAsk = {
    uuid: context.newUuid(),
    stepUuid: context.newUuid(),
    project: projectOf(request),
    user: request.credentials.userId,
    isAdmin: admin,
    size,
    protocol,
    type: type.uuid,
    isPublic,
    zone,
    name: textIn(body, 'name') ?? textIn(body, 'display_name'),
    onlyHost: only,
    hints,
    description: textIn(body, 'description') ?? textIn(body, 'display_description'),
    snapshot: snapshot?.uuid ?? null,
    metadata,
    ownHints: { ...NO_HINTED_SHARES, ...ownHints },
    checkOwnHints: features.checkedHintEdits,
  }
  return { ask, warnings: unreadHintTexts(body.scheduler_hints, features) }
}

function requireNone(body: Json, field: string, what: string): void {
  const value = ownValue(body, field)
  if (value !== undefined && value !== null && value !== '')
    throw badField(field, value, `There are no ${what} here.`)
}

function protocolIn(body: Json): string {
  const value = body.share_proto
  const protocol = typeof value === 'string' ? value.toUpperCase() : ''
  if (!PROTOCOLS.includes(protocol))
    throw badField('share_proto', value ?? null, `It must be one of ${PROTOCOLS.join(', ')}.`)
  return protocol
}

function snapshotIn(context: ShareContext, request: ShareApiRequest, body: Json): SnapshotRow | null {
  const id = textIn(body, 'snapshot_id')
  if (id === null || id === '') return null
  const { shares } = context.world
  const row = shares.snapshots.find(id)
  const isMine = row?.project_id === request.credentials.projectId || isAdmin(context, request.credentials)
  if (row === undefined || !isMine) throw refused({ kind: 'snapshot-missing', snapshot: id })
  if (
    request.features.createFromSnapshotSupport &&
    !supportsCreateFrom(context.world, shares.shares.row(row.share_id))
  )
    throw badField('snapshot_id', id, 'The type of its share has no create_share_from_snapshot_support.')
  return row
}

/** The type that is named, else that of the snapshot's share, else the default. */
function typeIn(
  context: ShareContext,
  request: ShareApiRequest,
  body: Json,
  snapshot: SnapshotRow | null,
): ShareTypeRow {
  const { shares } = context.world
  if (Object.hasOwn(body, 'share_type') && Object.hasOwn(body, 'volume_type'))
    throw badField('volume_type', body.volume_type, 'Only one of share_type and volume_type can be given.')
  const wanted = textIn(body, 'share_type') ?? textIn(body, 'volume_type')
  if (wanted === null || wanted === '') {
    if (snapshot !== null) return shares.types.row(shares.shares.row(snapshot.share_id).type_id)
    const row = defaultType(context.world)
    if (row === undefined)
      throw new ApiError(400, 'There is no default share type, so that share_type must be given.')
    return row
  }
  const row = visibleType(context, request, wanted)
  if (row === undefined) throw refused({ kind: 'type-missing', type: wanted })
  if (/^(<is> *)?true$/i.test(shares.specsOf(row.id).get('driver_handles_share_servers') ?? ''))
    throw badField('share_type', wanted, 'It needs a share network, and there are none here.')
  return row
}

function zoneIn(
  { world }: ShareContext,
  { features }: ShareApiRequest,
  body: Json,
  type: ShareTypeRow,
): string | null {
  const wanted = features.zoneAtCreate ? textIn(body, 'availability_zone') : null
  if (wanted === null || wanted === '') return null
  const zone = zoneNamed(world, wanted)
  if (zone === undefined) throw new ApiError(404, `Availability zone ${wanted} could not be found.`)
  const ofType = (world.shares.specsOf(type.id).get('availability_zones') ?? '')
    .split(',')
    .map(one => one.trim())
  if (features.typeZones && ofType[0] !== '' && !ofType.includes(zone))
    throw badField('availability_zone', wanted, `Share type ${type.name} is for ${ofType.join(', ')} only.`)
  return zone
}
