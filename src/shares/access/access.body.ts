import { ApiError } from '../../http/api.ts'
import { pythonRepr } from '../../http/formats/python-repr.ts'
import { parseIpNetwork } from '../../kernel/ip-network.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { makeFieldError, parseBoolean, parseMetadata, requireShortValues } from '../bodies.ts'
import type { Features } from '../versions.ts'
import { ACCESS_LEVELS, ACCESS_TYPES, type AccessLevel, type AccessType } from './access-rules.ts'

/** Messages are Manila's, because its clients show them. */
const refuseBody = (message: string): ApiError => new ApiError(400, message)

interface AccessWish {
  readonly type: AccessType
  readonly to: string
  readonly level: AccessLevel
  readonly metadata: Readonly<Record<string, string>>
}

export function parseAllowAccess(body: Json, features: Features): AccessWish {
  refuseLocks(body, features)
  const type = readMandatory(body, 'access_type')
  const to = readMandatory(body, 'access_to')
  requireClient(type, to, features)
  const level = ownValue(body, 'access_level') ?? 'rw'
  if (!isLevel(level)) throw refuseBody(`Invalid access rule: Invalid share access level: ${String(level)}.`)
  const metadata = features.accessRules ? parseAccessMetadata(ownValue(body, 'metadata')) : {}
  return { type, to, level, metadata }
}

const isLevel = (value: unknown): value is AccessLevel => ACCESS_LEVELS.includes(value as AccessLevel)

const CLIENT_MAX = 255

function readMandatory(body: Json, field: string): string {
  const value = ownValue(body, field)
  if (typeof value !== 'string') throw makeFieldError(field, value ?? null, 'It must be a text.')
  if (value.length > CLIENT_MAX && field === 'access_type')
    throw makeFieldError(field, value, `It may have ${CLIENT_MAX} characters.`)
  return value
}

/** Berth enforces no locks, so it must not accept one. */
function refuseLocks(body: Json, features: Features): void {
  if (!features.accessFilters) return
  for (const field of ['lock_visibility', 'lock_deletion'] as const) {
    const value = ownValue(body, field)
    if (value !== undefined && value !== null && parseBoolean(value) !== false)
      throw makeFieldError(field, value, 'There are no resource locks here.')
  }
}

function requireClient(type: string, to: string, features: Features): asserts type is AccessType {
  const isKnown = ACCESS_TYPES.includes(type as AccessType) && (type !== 'cephx' || features.cephxAccess)
  if (!isKnown)
    throw refuseBody(
      features.cephxAccess
        ? "Only 'ip', 'user', 'cert' or 'cephx' access types are supported."
        : "Only 'ip', 'user' or 'cert' access types are supported.",
    )
  const fault = findClientFault(type as AccessType, to, features)
  if (fault !== null) throw refuseBody(fault)
  if (to.length > CLIENT_MAX) throw makeFieldError('access_to', to, `It may have ${CLIENT_MAX} characters.`)
}

function findClientFault(type: AccessType, to: string, { ipv6Access }: Features): string | null {
  switch (type) {
    case 'ip': {
      // Addresses are short, so longer texts are refused without parsing.
      const network = parseIpNetwork(to.slice(0, CLIENT_MAX), ipv6Access, pythonRepr)
      return 'fault' in network ? network.fault : null
    }
    case 'user':
      return findUserFault(to)
    case 'cert':
      return /^.{1,64}$/su.test(to.trim()) ? null : 'Invalid CN (common name). Must be 1-64 chars long.'
    case 'cephx':
      return findCephxFault(to)
    default:
      return type satisfies never
  }
}

function findUserFault(to: string): string | null {
  if (/^[\s|.]+$/.test(to)) return 'Invalid user or group name,cannot consist solely of periods or spaces.'
  return /^[^\n][^"/\\[\]:;|=,+*?<>]{3,254}$/u.test(to)
    ? null
    : 'Invalid user or group name. Must be 4-255 characters and consist of alphanumeric characters and exclude special characters "/\\[]:;|=,+*?<>'
}

function findCephxFault(to: string): string | null {
  if (to === '') return 'Ceph IDs may not be empty.'
  if (!/^[\t-\r -~]+$/.test(to)) return 'Ceph IDs must consist of ASCII printable characters.'
  return to.includes('.') ? 'Ceph IDs may not contain periods.' : null
}

export function parseAccessMetadata(value: unknown): Record<string, string> {
  const metadata = parseMetadata(value)
  requireShortValues(metadata)
  for (const [key, text] of Object.entries(metadata))
    if (text === '') throw makeFieldError(key, text, 'A value must not be empty.')
  return metadata
}

/** From 2.82 filters are checked. */
export function requireAccessFilters(values: Readonly<Record<string, string>>, features: Features): void {
  const { access_type: type, access_to: to, access_level: level } = values
  if (type !== undefined && !ACCESS_TYPES.includes(type as AccessType))
    throw refuseBody(`Invalid or unsupported share access type: ${type}.`)
  if (to !== undefined && type === undefined)
    throw refuseBody(
      "Invalid input received: 'access_type' parameter must be provided when specifying 'access_to'.",
    )
  if (type !== undefined && to !== undefined) requireClient(type, to, features)
  if (level !== undefined && !isLevel(level))
    throw refuseBody(`Invalid or unsupported share access level: ${level}.`)
}
