import { ApiError } from '../../http/api.ts'
import type { Json } from '../../kernel/json.ts'
import { RATIO_MAX } from '../../kernel/number-bounds.ts'
import { jsonText } from '../../kernel/records.ts'
import { booleanIn, isPrintable, nameOf, readBody, wholeOf } from '../bodies.ts'
import type { ComputeRequest } from '../context.ts'
import { createSchema, describedCreateSchema, updateSchema } from './flavors.schemas.ts'
import type { FlavorFields } from './flavors.ts'

/** A flavor to be made. `newId` gives one to those that bring none. */
export function createBody(request: ComputeRequest, newId: () => string): FlavorFields {
  const { flavorDescription } = request.features
  const body = readBody(request, flavorDescription ? describedCreateSchema : createSchema)
  const flavor = body.flavor as Json
  return {
    flavorid: flavor.id === undefined || flavor.id === null ? newId() : String(flavor.id),
    name: nameOf('name', flavor.name),
    memory_mb: wholeOf('ram', flavor.ram, 1),
    vcpus: wholeOf('vcpus', flavor.vcpus, 1),
    root_gb: wholeOf('disk', flavor.disk, 0),
    ephemeral_gb: wholeOf('ephemeral', flavor['OS-FLV-EXT-DATA:ephemeral'] ?? 0, 0),
    swap: wholeOf('swap', flavor.swap ?? 0, 0),
    rxtx_factor: ratioOf(flavor.rxtx_factor ?? 1),
    is_public: booleanIn(flavor['os-flavor-access:is_public'] ?? true) === true,
    description: described((flavor.description as string | null | undefined) ?? null),
  }
}

export function updateBody(request: ComputeRequest): { readonly description: string | null } {
  const flavor = readBody(request, updateSchema).flavor as Json
  return { description: described(flavor.description as string | null) }
}

function ratioOf(value: unknown): number {
  const ratio = Number(jsonText(value))
  if (ratio > 0 && ratio <= RATIO_MAX) return ratio
  throw new ApiError(
    400,
    `rxtx_factor must be a number above 0 and at most ${RATIO_MAX}, not ${jsonText(value)}.`,
  )
}

function described(text: string | null): string | null {
  if (text === null || isPrintable(text)) return text
  throw new ApiError(400, 'A description has printable characters only, and no line breaks.')
}
