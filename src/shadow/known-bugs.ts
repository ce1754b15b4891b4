import { roundRatio } from '../openstack/placement/compare.ts'
import { isCustom } from '../openstack/placement/ledger.ts'
import type { World } from '../world/world.ts'
import { hasSameCandidates, parseBody } from './compare-answers.ts'
import { type Answer, findRoute, isWrite, type KeptRequest } from './exchange.ts'
import type { Orphans } from './orphans.ts'
import { findProviderFields } from './own-ledger.ts'
import { UUIDS } from './subjects.ts'

/** Differences that are bugs of Placement 8.0 or intended by Berth. docs/how-to/replace-placement.md lists them. */
export type KnownBug =
  | 'version-document'
  | 'newer-version'
  | 'standard-traits'
  | 'idle-consumer'
  | 'shared-class-amounts'
  | 'sharing-anchors'
  | 'sharing-child-fails'
  | 'orphaned-allocation'
  | 'ratio-digits'

const SHARING = 'MISC_SHARES_VIA_AGGREGATE'

/** The known bug that explains a difference; null if none does. */
function findKnownBug(world: World, request: KeptRequest, theirs: Answer, ours: Answer): KnownBug | null {
  const route = findRoute(request.path)
  if (route === '/' && theirs.status === 200 && ours.status === 200) return 'version-document'
  // Berth supports one more microversion.
  if (isVersionRefusal(theirs) && ours.status !== 406) return 'newer-version'
  if (isAboutStandardTraits(route, request, theirs, ours)) return 'standard-traits'
  if (route === '/allocation_candidates') return findCandidateBug(world, request.path, theirs, ours)
  if (/^\/(allocations|reshaper)/.test(route) && isIdleConsumer(theirs, ours)) return 'idle-consumer'
  return null
}

/** Each side brings the standard traits of its own release. */
function isAboutStandardTraits(route: string, { path }: KeptRequest, theirs: Answer, ours: Answer): boolean {
  if (route === '/traits' && theirs.status === 200 && ours.status === 200) {
    const [left, right] = [theirs, ours].map(
      answer => new Set((parseBody(answer) as { traits: string[] }).traits),
    )
    return [...(left as Set<string>).symmetricDifference(right as Set<string>)].every(name => !isCustom(name))
  }
  if (route === '/traits/{name}') return !isCustom(path.slice('/traits/'.length))
  return theirs.status !== ours.status && [theirs, ours].some(namesStandardTrait)
}

/** An error about traits that one side does not know. */
function namesStandardTrait(answer: Answer): boolean {
  const [, names] = /No such trait(?:\(s\))?:? (.*)/.exec(readDetail(answer)) ?? []
  return answer.status === 400 && names !== undefined && !/CUSTOM_/.test(names)
}

/** Groups of a query: '' and every suffix, with its classes. */
function readGroups(path: string): Map<string, ReadonlySet<string>> {
  const groups = new Map<string, ReadonlySet<string>>()
  for (const [key, value] of new URLSearchParams(path.split('?', 2)[1] ?? ''))
    if (key.startsWith('resources'))
      groups.set(
        key.slice('resources'.length),
        new Set(value.split(',').map(part => part.split(':', 1)[0] ?? '')),
      )
  return groups
}

function findCandidateBug(world: World, path: string, theirs: Answer, ours: Answer): KnownBug | null {
  const trait = world.traits.id(SHARING)
  const isSharing = trait !== undefined && world.providerTraits.isInUse(trait)
  if (theirs.status === 500 && ours.status < 500 && isSharing) return 'sharing-child-fails'
  if (theirs.status !== 200 || ours.status !== 200) return null
  const groups = readGroups(path)
  const plain = groups.get('')
  if (plain === undefined || groups.size < 2) return null
  for (const [suffix, classes] of groups)
    if (suffix !== '' && !classes.isDisjointFrom(plain)) return 'shared-class-amounts'
  return isSharing ? 'sharing-anchors' : null
}

/**
 * Placement stores a new consumer at generation 0 even if its write names an unknown provider or has no allocations. Later writes of
 * that consumer meet it.
 */
function isIdleConsumer(theirs: Answer, ours: Answer): boolean {
  if (isIdleConflict(theirs)) return true
  return theirs.status < 300 && ours.status === 409 && /expected null but got 0\b/.test(readDetail(ours))
}

/** Placement refuses a consumer as new to Berth, because it has stored one at generation 0. */
export const isIdleConflict = (theirs: Answer): boolean =>
  theirs.status === 409 && /expected 0 but got None\b/.test(readDetail(theirs))

const readDetail = (answer: Answer): string =>
  (parseBody(answer) as { errors?: { detail?: string }[] } | null)?.errors?.[0]?.detail ?? ''

/** Placement does not support the microversion. It also answers 406 to an Accept header that it cannot fulfil. */
export const isVersionRefusal = ({ status, body }: Answer): boolean =>
  status === 406 && body?.includes('Unacceptable version') === true

/** Refused for lack of capacity, not for a generation or a missing object. */
export const isRefusedAsUsed = (answer: Answer): boolean =>
  answer.status === 409 && /exceed the capacity|\bin use\b|has allocations/i.test(readText(answer))

export const isRefusedAsFull = (answer: Answer): boolean =>
  answer.status === 409 && /exceed the capacity/.test(readText(answer))

const readText = ({ body }: Answer): string => body?.toString('utf8') ?? ''

/**
 * As `findKnownBug`, and also asks Placement whether it has lost the consumer of an allocation: it then counts more as used than its
 * consumers hold.
 */
export async function explainDifference(
  { world, orphans }: { readonly world: World; readonly orphans: Orphans },
  request: KeptRequest,
  subjects: ReadonlySet<string>,
  theirs: Answer,
  ours: Answer,
): Promise<KnownBug | null> {
  const known = findKnownBug(world, request, theirs, ours)
  if (known !== null) return known
  if (await isAboutOrphans(orphans, request, subjects, theirs, ours)) return 'orphaned-allocation'
  return isAboutRatios(world, request, subjects, theirs, ours) ? 'ratio-digits' : null
}

/** Whether the outcome depends on the capacity of a provider with such a ratio. */
function isAboutRatios(
  world: World,
  { method, path }: KeptRequest,
  subjects: ReadonlySet<string>,
  theirs: Answer,
  ours: Answer,
): boolean {
  if (isWrite(method)) return [theirs, ours].some(isRefusedAsFull) && hasLongRatio(world, subjects)
  return isAboutCapacity(path) && hasLongRatio(world, listUuids([theirs, ours]))
}

const isAboutCapacity = (path: string): boolean =>
  /^\/(allocation_candidates|resource_providers)\?/.test(path)

async function isAboutOrphans(
  orphans: Orphans,
  { method, path }: KeptRequest,
  subjects: ReadonlySet<string>,
  theirs: Answer,
  ours: Answer,
): Promise<boolean> {
  if (!isWrite(method) && (theirs.status !== 200 || ours.status !== 200)) return false
  if (isWrite(method) ? isRefusedAsUsed(theirs) : findRoute(path) === '/resource_providers/{uuid}/usages') {
    await orphans.look(subjects)
    return orphans.hasSome(subjects)
  }
  if (!isAboutCapacity(path)) return false
  // Summaries name all classes of a provider, even those that were not requested.
  const classes = hasSameCandidates(theirs, ours)
    ? null
    : new Set([...readGroups(path).values()].flatMap(some => [...some]))
  const providers = listUuids([theirs, ours])
  if (!orphans.hasSome(providers, classes)) await orphans.look(providers)
  return orphans.hasSome(providers, classes)
}

/** Whether Placement rounds a ratio of a provider, so that its capacity is slightly different. */
export function hasLongRatio(world: World, subjects: ReadonlySet<string>): boolean {
  return [...subjects].some(uuid =>
    Object.values(findProviderFields(world, uuid)?.inventories ?? {}).some(
      ({ allocation_ratio: ratio }) => Math.fround(roundRatio(ratio)) !== Math.fround(ratio),
    ),
  )
}

const listUuids = (answers: readonly Answer[]): Set<string> =>
  new Set(answers.flatMap(({ body }) => body?.toString('utf8').match(UUIDS) ?? []))
