import { ownValue } from '../../kernel/records.ts'
import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { type Expected, expectResources } from './expected.ts'
import { changeConsumer, type Finding, resourcesText } from './finding.ts'
import { type Judgement, serverSubject, serverText } from './judgement.ts'
import type { Kind } from './kinds.ts'
import type { NovaServer } from './nova-state.ts'
import { canBePlaced, isPlacedRightly, placeOn } from './placing.ts'
import { type Held, hasClass, heldText, isSharing } from './trees.ts'

/** A server that holds something on its host. */
interface OnItsHost {
  readonly server: NovaServer
  readonly consumer: ConsumerFields
  readonly root: string
  /** On its host and on sharing providers. */
  readonly held: readonly Held[]
}

interface Difference {
  readonly name: string
  readonly expected: number
  readonly held: number
}

/** Compares amounts with the flavor, and then on which provider they are. */
export function judgeAmounts(judgement: Judgement, place: OnItsHost): void {
  const { server, held } = place
  const expected = expectResources(server)
  if ('unknown' in expected) {
    judgement.leave(serverSubject(server), expected.unknown)
    return
  }
  const differences = listDifferences(held, expected)
  if (differences.length === 0) {
    judgeProviders(judgement, place, expected)
    return
  }
  const isAboutCpu = isSwappedCpu(differences)
  if (isAboutCpu && !offers(judgement, place.root, differences)) return
  if (server.imageProperties === null && (isAboutCpu || isAboutImage(differences))) {
    judgement.leave(
      serverSubject(server),
      `${differencesText(differences)}: the image may ask for it, and this Nova does not show its properties`,
    )
    return
  }
  judgement.find(describeAmounts(judgement, place, expected, differences))
}

function listDifferences(held: readonly Held[], { totals, judged }: Expected): Difference[] {
  const sums = new Map<string, number>()
  for (const { resources } of held)
    for (const [name, amount] of Object.entries(resources)) sums.set(name, (sums.get(name) ?? 0) + amount)
  return [...new Set([...totals.keys(), ...sums.keys()])].flatMap(name => {
    const [expected, found] = [totals.get(name) ?? 0, sums.get(name) ?? 0]
    return judged.has(name) && expected !== found ? [{ name, expected, held: found }] : []
  })
}

const isCpu = ({ name }: Difference): boolean => name === 'VCPU' || name === 'PCPU'

/** As many processors, of the other class. */
const isSwappedCpu = (differences: readonly Difference[]): boolean =>
  differences.every(isCpu) && differences.reduce((sum, one) => sum + one.expected - one.held, 0) === 0

const isAboutImage = (differences: readonly Difference[]): boolean =>
  differences.every(({ name }) => name === 'MEM_ENCRYPTION_CONTEXT')

/** Nova takes VCPU for dedicated processors where a host has no PCPU yet. */
const offers = ({ trees }: Judgement, root: string, differences: readonly Difference[]): boolean =>
  differences.every(
    ({ name, expected }) => expected === 0 || trees.membersOf(root).some(one => hasClass(one, name)),
  )

const differencesText = (differences: readonly Difference[]): string =>
  differences.map(({ name, expected, held }) => `${name} is ${held} and should be ${expected}`).join(', ')

function nameKind(differences: readonly Difference[], { rootGbOnVolume }: Expected): Kind {
  const [first, ...others] = differences
  if (isSwappedCpu(differences)) return 'wrong-cpu-class'
  const isRootDisk =
    first?.name === 'DISK_GB' && others.length === 0 && first.held - first.expected === rootGbOnVolume
  if (isRootDisk && rootGbOnVolume > 0) return 'volume-backed-disk'
  if (differences.every(({ held }) => held === 0)) return 'missing-class'
  if (differences.every(({ expected }) => expected === 0)) return 'unrequested-class'
  return 'wrong-amount'
}

function describeAmounts(
  judgement: Judgement,
  place: OnItsHost,
  expected: Expected,
  differences: readonly Difference[],
): Finding {
  const { server, consumer, held } = place
  const corrected = correct(judgement, place, differences)
  const after = 'reason' in corrected ? null : { ...consumer, allocations: corrected }
  return {
    kind: nameKind(differences, expected),
    subject: serverSubject(server),
    nova: `${serverText(server)}, which is ${resourcesText(Object.fromEntries(expected.totals))}`,
    ledger: `it holds ${heldText(held)}: ${differencesText(differences)}`,
    remedy:
      'reason' in corrected
        ? `Set its allocations by hand: ${corrected.reason}.`
        : 'Set its allocations to those of its flavor.',
    command: after === null ? `berth allocation show ${server.id}` : judgement.setCommand(after),
    repair: after === null ? null : changeConsumer(consumer, after),
  }
}

/** Changes only the classes that differ: at the provider that has them, or where a new server would get them. */
function correct(
  { trees }: Judgement,
  { consumer, root, held }: OnItsHost,
  differences: readonly Difference[],
): ConsumerFields['allocations'] | { readonly reason: string } {
  const result = new Map(
    Object.entries(consumer.allocations).map(([uuid, one]) => [uuid, new Map(Object.entries(one.resources))]),
  )
  for (const { name, expected: amount } of differences) {
    const holders = held.filter(one => Object.hasOwn(one.resources, name)).map(one => one.provider)
    const target = findTarget(holders, name, amount)
    if ('reason' in target) return target
    for (const { uuid } of holders) result.get(uuid)?.delete(name)
    if (amount === 0) continue
    const provider = target.provider ?? onlyPlace(trees.reachableFrom(root), name)
    if (provider === null) return { reason: `Nova does not tell which provider of the host gives ${name}` }
    const before = held.find(one => one.provider.uuid === provider.uuid)
    const own = before === undefined ? 0 : (ownValue(before.resources, name) ?? 0)
    if (trees.freeOf(provider, name) + own < amount)
      return { reason: `${provider.name} has no room for ${name}=${amount}` }
    const resources = result.get(provider.uuid) ?? new Map<string, number>()
    result.set(provider.uuid, resources.set(name, amount))
  }
  return Object.fromEntries(
    [...result].flatMap(([uuid, one]) =>
      one.size === 0 ? [] : [[uuid, { resources: Object.fromEntries(one) }]],
    ),
  )
}

function findTarget(
  holders: readonly ProviderFields[],
  name: string,
  amount: number,
): { readonly provider: ProviderFields | null } | { readonly reason: string } {
  const [first = null, ...others] = holders
  return others.length > 0 && amount > 0
    ? { reason: `several providers give ${name}, and Nova does not tell how much each` }
    : { provider: first }
}

/** The root of the host if it has the class, else the only other provider that has. */
function onlyPlace(providers: readonly ProviderFields[], name: string): ProviderFields | null {
  const [first = null, ...others] = providers.filter(one => hasClass(one, name))
  return first !== null && (others.length === 0 || first.parent_provider_uuid === null) ? first : null
}

/** Checks whether correct amounts are on the right providers. */
function judgeProviders(judgement: Judgement, place: OnItsHost, expected: Expected): void {
  const { server, consumer, root, held } = place
  const { trees } = judgement
  const shared = new Set(trees.sharingWith(root).map(({ uuid }) => uuid))
  const strange = held.filter(
    one => one.root !== root && isSharing(one.provider) && !shared.has(one.provider.uuid),
  )
  const isMisplaced = strange.length > 0 || !isPlacedRightly(held, expected)
  if (!isMisplaced || !canBePlaced(trees, root, expected)) return
  const placing = placeOn(trees, root, expected, held)
  const isUnjudged = (name: string) => !expected.judged.has(name)
  const after = 'reason' in placing ? null : mergeUnjudged(consumer, placing.allocations, isUnjudged)
  judgement.find({
    kind: strange.length > 0 ? 'wrong-sharing-provider' : 'wrong-child',
    subject: serverSubject(server),
    nova: serverText(server),
    ledger:
      strange.length > 0
        ? `it holds ${heldText(strange)}, which shares no aggregate with the host`
        : `it holds ${heldText(held)}, which no answer to its flavor can be`,
    remedy:
      'reason' in placing
        ? `Move them by hand: ${placing.reason}.`
        : 'Move them to the provider that its flavor asks for.',
    command: after === null ? `berth allocation show ${server.id}` : judgement.setCommand(after),
    repair: after === null ? null : changeConsumer(consumer, after),
  })
}

/** Leaves in place what the flavor does not explain. */
function mergeUnjudged(
  consumer: ConsumerFields,
  placed: ConsumerFields['allocations'],
  isUnjudged: (name: string) => boolean,
): ConsumerFields {
  const merged = new Map(
    Object.entries(placed).map(([uuid, { resources }]) => [uuid, new Map(Object.entries(resources))]),
  )
  for (const [uuid, { resources }] of Object.entries(consumer.allocations))
    for (const [name, amount] of Object.entries(resources).filter(([one]) => isUnjudged(one)))
      merged.set(uuid, (merged.get(uuid) ?? new Map<string, number>()).set(name, amount))
  const allocations = [...merged].map(([uuid, one]) => [uuid, { resources: Object.fromEntries(one) }])
  return { ...consumer, allocations: Object.fromEntries(allocations) }
}
