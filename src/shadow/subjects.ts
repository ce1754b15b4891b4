import { normalizeUuid } from '../kernel/uuid.ts'
import type { World } from '../world/world.ts'
import { listHeld } from './own-ledger.ts'

/** The subject of a write whose body is unknown. */
export const EVERYTHING = '*'

export const UUIDS = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi
const CUSTOM_NAMES = /CUSTOM_[A-Z0-9_]+/g
const PROVIDER = /^\/resource_providers(?:\/[^/?]+)?$/

/**
 * Everything that a write may touch: the uuids and custom names in it, the providers its consumers hold now, and the name of a provider.
 * Errs on the side of too much.
 */
export function listSubjects(world: World, path: string, body: Buffer): Set<string> {
  const text = `${safeDecode(path)}\n${body.toString('utf8')}`
  const found = new Set<string>(text.match(CUSTOM_NAMES))
  for (const match of text.match(UUIDS) ?? []) {
    const uuid = normalizeUuid(match) as string
    found.add(uuid)
    for (const provider of listHeld(world, uuid)) found.add(provider)
  }
  if (PROVIDER.test(path)) found.add(`name ${parseName(body)}`)
  return found
}

function parseName(body: Buffer): string {
  try {
    return String((JSON.parse(body.toString('utf8')) as { name?: unknown }).name)
  } catch {
    return ''
  }
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

export const isUuid = (subject: string): boolean => normalizeUuid(subject) === subject
export const isName = (subject: string): boolean => subject.startsWith('CUSTOM_')

export function overlap(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (some.has(EVERYTHING) || others.has(EVERYTHING)) return true
  return !some.isDisjointFrom(others)
}
