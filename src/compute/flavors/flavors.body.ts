import { ApiError } from '../../http/api.ts'
import type { Json } from '../../kernel/json.ts'
import { RATIO_MAX } from '../../kernel/number-bounds.ts'
import { jsonText } from '../../kernel/records.ts'
import { isPrintable, parseBoolean, parseName, parseWhole, readBody } from '../bodies.ts'
import type { ComputeRequest } from '../context.ts'
import { createSchemaFor, updateSchema } from './flavors.schemas.ts'
import type { FlavorFields } from './flavors.ts'

/** `newId` is for flavors without an id. */
export function parseCreate(request: ComputeRequest, newId: () => string): FlavorFields {
  const body = readBody(request, createSchemaFor(request.features))
  const flavor = body.flavor as Json
  return {
    flavorid: flavor.id === undefined || flavor.id === null ? newId() : String(flavor.id),
    name: parseName('name', flavor.name),
    memory_mb: parseWhole('ram', flavor.ram, 1),
    vcpus: parseWhole('vcpus', flavor.vcpus, 1),
    root_gb: parseWhole('disk', flavor.disk, 0),
    ephemeral_gb: parseWhole('ephemeral', flavor['OS-FLV-EXT-DATA:ephemeral'] ?? 0, 0),
    swap: parseWhole('swap', flavor.swap ?? 0, 0),
    rxtx_factor: parseRatio(flavor.rxtx_factor ?? 1),
    is_public: parseBoolean(flavor['os-flavor-access:is_public'] ?? true) === true,
    description: checkDescription((flavor.description as string | null | undefined) ?? null),
  }
}

export function updateBody(request: ComputeRequest): { readonly description: string | null } {
  const flavor = readBody(request, updateSchema).flavor as Json
  return { description: checkDescription(flavor.description as string | null) }
}

function parseRatio(value: unknown): number {
  const ratio = Number(jsonText(value))
  if (ratio > 0 && ratio <= RATIO_MAX) return ratio
  throw new ApiError(
    400,
    `rxtx_factor must be a number above 0 and at most ${RATIO_MAX}, not ${jsonText(value)}.`,
  )
}

function checkDescription(text: string | null): string | null {
  if (text === null || isPrintable(text)) return text
  throw new ApiError(400, 'A description has printable characters only, and no line breaks.')
}
