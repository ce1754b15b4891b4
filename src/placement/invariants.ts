import { type ClassId, type ConsumerSlot, classId, NO_PROVIDER, type ProviderSlot } from '../kernel/ids.ts'
import type { Finding, Report } from '../world/findings.ts'
import type { Row, TableName } from '../world/tables.ts'
import type { World } from '../world/world.ts'

type PlacementFinding = Finding<
  | 'provider.parent-missing'
  | 'provider.loop'
  | 'provider.root-wrong'
  | 'inventory.provider-missing'
  | 'inventory.class-missing'
  | 'membership.provider-missing'
  | 'membership.other-missing'
  | 'allocation.consumer-missing'
  | 'allocation.inventory-missing'
  | 'allocation.class-missing'
  | 'allocation.provider-missing'
  | 'allocation.amount-wrong'
  | 'usage.wrong'
  | 'index.wrong'
>

/** Every reference resolves, indexes agree with rows, and usage is the sum of allocations. */
export function checkPlacement(world: World, report: Report<PlacementFinding>): void {
  const classes = idsOf(world, 'resource_classes')
  checkTrees(world, report)
  checkInventories(world, classes, report)
  checkMemberships(world, report)
  checkAllocations(world, classes, report)
  checkConsumers(world, report)
}

function idsOf(world: World, table: TableName): ReadonlySet<number> {
  const ids = new Set<number>()
  for (const row of world.rows(table)) ids.add(row.id as number)
  return ids
}

function checkTrees(world: World, report: Report<PlacementFinding>): void {
  const { providers } = world
  for (const slot of providers.all()) {
    const uuid = providers.uuid(slot)
    if (providers.find(uuid) !== slot || providers.findName(providers.name(slot)) !== slot)
      report.add({ kind: 'index.wrong', what: `provider ${uuid} is not found by its uuid and name` })
    const top = topOf(world, slot)
    if (top === 'loop') report.add({ kind: 'provider.loop', what: `provider ${uuid} is below itself` })
    else if (top === null)
      report.add({ kind: 'provider.parent-missing', what: `a provider above ${uuid} does not exist` })
    else if (top !== providers.rootOf(slot))
      report.add({
        kind: 'provider.root-wrong',
        what: `provider ${uuid} has root ${providers.rootOf(slot)}, not ${top}`,
      })
  }
}

/** The topmost ancestor; null if a parent does not exist. */
function topOf(world: World, slot: ProviderSlot): ProviderSlot | 'loop' | null {
  const { providers } = world
  let at = slot
  for (let steps = 0; steps <= providers.size; steps++) {
    const parent = providers.parentOf(at)
    if (parent === NO_PROVIDER) return at
    if (!providers.exists(parent)) return null
    at = parent
  }
  return 'loop'
}

function checkInventories(
  world: World,
  classes: ReadonlySet<number>,
  report: Report<PlacementFinding>,
): void {
  for (const row of world.inventories.rows()) {
    const what = `inventory of class ${row.class_id} of provider ${row.provider_id}`
    if (!world.providers.exists(row.provider_id)) report.add({ kind: 'inventory.provider-missing', what })
    if (!classes.has(row.class_id)) report.add({ kind: 'inventory.class-missing', what })
  }
}

function checkMemberships(world: World, report: Report<PlacementFinding>): void {
  const check = (kind: string, pairs: Iterable<[ProviderSlot, number]>, others: ReadonlySet<number>) => {
    for (const [provider, id] of pairs) {
      const what = `${kind} ${id} of provider ${provider}`
      if (!world.providers.exists(provider)) report.add({ kind: 'membership.provider-missing', what })
      if (!others.has(id)) report.add({ kind: 'membership.other-missing', what })
    }
  }
  check('trait', world.providerTraits.pairs(), idsOf(world, 'traits'))
  check('aggregate', world.providerAggregates.pairs(), idsOf(world, 'aggregates'))
}

function checkAllocations(
  world: World,
  classes: ReadonlySet<number>,
  report: Report<PlacementFinding>,
): void {
  const sums = new Map<ClassId, Float64Array>()
  for (const row of world.rows('allocations') as Iterable<Row<'allocations'>>) {
    const what = `allocation of consumer ${row.consumer_id}: ${row.used} of class ${row.class_id} of provider ${row.provider_id}`
    const provider = row.provider_id as ProviderSlot
    const id = classId(row.class_id)
    if (!(row.used > 0)) report.add({ kind: 'allocation.amount-wrong', what })
    if (!world.providers.exists(provider)) report.add({ kind: 'allocation.provider-missing', what })
    if (!classes.has(id)) report.add({ kind: 'allocation.class-missing', what })
    if (!world.inventories.has(provider, id)) report.add({ kind: 'allocation.inventory-missing', what })
    if (!world.consumers.onProvider(provider).has(row.consumer_id as ConsumerSlot))
      report.add({ kind: 'index.wrong', what: `${what}, which its provider does not list` })
    sumOf(world, sums, id)[provider]! += row.used
  }
  checkUsage(world, sums, classes, report)
}

function sumOf(world: World, sums: Map<ClassId, Float64Array>, id: ClassId): Float64Array {
  let sum = sums.get(id)
  if (sum === undefined) {
    sum = new Float64Array(Math.max(world.providers.slots, world.inventories.columns(id)?.used.length ?? 0))
    sums.set(id, sum)
  }
  return sum
}

function checkUsage(
  world: World,
  sums: Map<ClassId, Float64Array>,
  classes: ReadonlySet<number>,
  report: Report<PlacementFinding>,
): void {
  for (const id of new Set([...sums.keys(), ...classes]) as Set<ClassId>) {
    const used = world.inventories.columns(id)?.used ?? new Float64Array(0)
    const sum = sumOf(world, sums, id)
    for (let slot = 0; slot < sum.length; slot++)
      if ((used[slot] ?? 0) !== sum[slot])
        report.add({
          kind: 'usage.wrong',
          what: `usage of class ${id} of provider ${slot} is ${used[slot]}, its allocations hold ${sum[slot]}`,
        })
  }
}

function checkConsumers(world: World, report: Report<PlacementFinding>): void {
  let held = 0
  for (const row of world.consumers.rows()) {
    const slot = row.id as ConsumerSlot
    const holdings = world.consumers.holdings(slot).length
    held += holdings
    if (world.consumers.find(row.uuid) !== slot || !world.consumers.ofProject(row.project_id).has(slot))
      report.add({ kind: 'index.wrong', what: `consumer ${row.uuid} is not found by its uuid and project` })
  }
  const loose = world.consumers.allocations - held
  if (loose !== 0)
    report.add({ kind: 'allocation.consumer-missing', what: `${loose} allocations are of no consumer` })
}
