import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import type { ConsumerFields, InventoryFields, ProviderFields } from '../../placement/transfer/lines.ts'
import { orderByParents, type ReadLedger, type Untakable } from './ledger.ts'
import { type PlacementRow, type PlacementRows, SourceRefused } from './tables.ts'

const NAME_CHARS_MAX = 200
const OWNER_CHARS_MAX = 255

type Names = ReadonlyMap<number, string>

/** Joins the rows of a Placement's tables into a ledger. Lists and omits rows that do not fit. */
export function assembleLedger(rows: PlacementRows): ReadLedger {
  // Every Placement that ever ran has the standard ones; a mirror of an empty ledger would remove everything.
  if (rows.resource_classes.length === 0)
    throw new SourceRefused('it has no resource classes: it is empty, or a dump without data')
  return new Assembly(rows).assemble()
}

class Assembly {
  readonly #rows: PlacementRows
  readonly #classes: Names
  readonly #traits: Names
  readonly #untakable: Untakable[] = []
  /** The accepted ones, by number. */
  readonly #providers = new Map<number, ProviderFields>()

  constructor(rows: PlacementRows) {
    this.#rows = rows
    this.#classes = readNames(rows.resource_classes)
    this.#traits = readNames(rows.traits)
  }

  assemble(): ReadLedger {
    const providers = this.#readProviders()
    const consumers = this.#readConsumers()
    const ledger = {
      classes: new Set(this.#classes.values()),
      traits: new Set(this.#traits.values()),
      providers,
      consumers,
    }
    return { ledger, untakable: this.#untakable, showsIdle: true }
  }

  #refuse(what: string, reason: string): void {
    this.#untakable.push({ what, reason })
  }

  #readProviders(): Map<string, ProviderFields> {
    const uuids = new Map(this.#rows.resource_providers.map(row => [Number(row[0]), String(row[1])]))
    const inventories = Map.groupBy(this.#rows.inventories, row => Number(row[0]))
    const traits = namesByOwner(this.#rows.resource_provider_traits, this.#traits)
    const aggregates = namesByOwner(
      this.#rows.resource_provider_aggregates,
      readNames(this.#rows.placement_aggregates),
    )
    for (const row of this.#rows.resource_providers) {
      const [id, uuid, name, generation, parent] = row
      const what = `provider ${name} (${uuid})`
      const fault = findProviderFault(String(uuid), String(name), Number(generation))
      if (fault !== null) this.#refuse(what, fault)
      else
        this.#providers.set(Number(id), {
          uuid: String(uuid),
          name: String(name),
          generation: Number(generation),
          parent_provider_uuid: parent === null ? null : (uuids.get(Number(parent)) ?? `number ${parent}`),
          inventories: this.#readInventories(what, inventories.get(Number(id)) ?? []),
          traits: (traits.get(Number(id)) ?? []).sort(),
          aggregates: (aggregates.get(Number(id)) ?? []).sort(),
        })
    }
    return this.#keepConnected()
  }

  #keepConnected(): Map<string, ProviderFields> {
    const { ordered, lost } = orderByParents([...this.#providers.values()])
    for (const { uuid, name, parent_provider_uuid } of lost)
      this.#refuse(
        `provider ${name} (${uuid})`,
        `its parent ${parent_provider_uuid} is missing, cannot be imported, or is below it`,
      )
    const gone = new Set(lost.map(({ uuid }) => uuid))
    for (const [id, { uuid }] of this.#providers) if (gone.has(uuid)) this.#providers.delete(id)
    return ordered
  }

  #readInventories(what: string, rows: readonly PlacementRow[]): Record<string, InventoryFields> {
    const found: [string, InventoryFields][] = []
    for (const [, classNumber, ...numbers] of rows) {
      const name = this.#classes.get(Number(classNumber))
      const [total = 0, reserved = 0, min_unit = 0, max_unit = 0, step_size = 0, allocation_ratio = 0] =
        numbers.map(Number)
      const inventory = { total, reserved, min_unit, max_unit, step_size, allocation_ratio }
      const fault =
        name === undefined ? `resource class number ${classNumber} is missing` : findInventoryFault(inventory)
      if (fault !== null) this.#refuse(`inventory of ${name ?? 'an unknown class'} of ${what}`, fault)
      else found.push([name as string, inventory])
    }
    return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #readConsumers(): Map<string, ConsumerFields> {
    const projects = readNames(this.#rows.projects)
    const users = readNames(this.#rows.users)
    const types = readNames(this.#rows.consumer_types)
    const held = Map.groupBy(this.#rows.allocations, row => String(row[1]))
    const consumers = new Map<string, ConsumerFields>()
    for (const [uuid, project, user, generation, type] of this.#rows.consumers) {
      const key = String(uuid)
      const what = `consumer ${key}`
      const owner = { project: projects.get(Number(project)), user: users.get(Number(user)) }
      const fault = findConsumerFault(key, owner)
      const allocations = this.#readAllocations(what, held.get(key) ?? [])
      held.delete(key)
      if (fault !== null) this.#refuse(what, fault)
      else
        consumers.set(key, {
          uuid: key,
          generation: Number(generation),
          project_id: owner.project as string,
          user_id: owner.user as string,
          consumer_type: type === null ? null : (types.get(Number(type)) ?? null),
          allocations,
        })
    }
    for (const uuid of held.keys())
      this.#refuse(
        `allocations of consumer ${uuid}`,
        'the consumer has no row: run placement-manage db online_data_migrations first',
      )
    return consumers
  }

  #readAllocations(what: string, rows: readonly PlacementRow[]): ConsumerFields['allocations'] {
    const byProvider = new Map<string, Map<string, number>>()
    for (const [providerNumber, , classNumber, used] of rows) {
      const provider = this.#providers.get(Number(providerNumber))
      const name = this.#classes.get(Number(classNumber))
      const fault = findAllocationFault(provider, name, Number(used))
      if (fault !== null) {
        this.#refuse(`allocation of ${name ?? 'an unknown class'} of ${what}`, fault)
        continue
      }
      const { uuid } = provider as ProviderFields
      const resources = byProvider.get(uuid) ?? new Map<string, number>()
      byProvider.set(uuid, resources.set(name as string, Number(used)))
    }
    return Object.fromEntries(
      [...byProvider].map(([uuid, resources]) => [uuid, { resources: Object.fromEntries(resources) }]),
    )
  }
}

const readNames = (rows: readonly PlacementRow[]): Names =>
  new Map(rows.map(([id, name]) => [Number(id), String(name)]))

function namesByOwner(rows: readonly PlacementRow[], names: Names): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const [owner, id] of rows) {
    const name = names.get(Number(id))
    if (name === undefined) continue
    const list = found.get(Number(owner))
    if (list === undefined) found.set(Number(owner), [name])
    else list.push(name)
  }
  return found
}

function findProviderFault(uuid: string, name: string, generation: number): string | null {
  if (normalizeUuid(uuid) !== uuid) return 'its uuid is not in the form 00000000-0000-0000-0000-000000000000'
  if (name.length > NAME_CHARS_MAX) return `its name has more than ${NAME_CHARS_MAX} characters`
  if (!(Number.isSafeInteger(generation) && generation >= 0)) return 'its generation is not a whole number'
  return null
}

const isAmount = (value: number, min: 0 | 1): boolean =>
  Number.isInteger(value) && value >= min && value <= AMOUNT_MAX

function findInventoryFault(inventory: InventoryFields): string | null {
  const { total, reserved, min_unit, max_unit, step_size, allocation_ratio } = inventory
  if (!isAmount(total, 1)) return `total ${total} is not between 1 and ${AMOUNT_MAX}`
  if (!isAmount(reserved, 0)) return `reserved ${reserved} is not between 0 and ${AMOUNT_MAX}`
  if (reserved > total) return `reserved ${reserved} is more than total ${total}`
  for (const [name, value] of Object.entries({ min_unit, max_unit, step_size }))
    if (!isAmount(value, 1)) return `${name} ${value} is not between 1 and ${AMOUNT_MAX}`
  if (!(allocation_ratio >= 0 && allocation_ratio <= RATIO_MAX))
    return `allocation_ratio ${allocation_ratio} is not between 0 and ${RATIO_MAX}`
  return null
}

function findConsumerFault(
  uuid: string,
  owner: { readonly project: string | undefined; readonly user: string | undefined },
): string | null {
  if (normalizeUuid(uuid) === null) return 'its uuid is malformed'
  if (owner.project === undefined) return 'its project is missing'
  if (owner.user === undefined) return 'its user is missing'
  if (owner.project.length > OWNER_CHARS_MAX || owner.user.length > OWNER_CHARS_MAX)
    return `its project or user has more than ${OWNER_CHARS_MAX} characters`
  return null
}

function findAllocationFault(
  provider: ProviderFields | undefined,
  className: string | undefined,
  used: number,
): string | null {
  if (provider === undefined) return 'its provider is missing or cannot be imported'
  if (className === undefined) return 'its resource class is missing'
  if (!Object.hasOwn(provider.inventories, className))
    return `provider ${provider.name} has no inventory of ${className}`
  if (!isAmount(used, 1)) return `used ${used} is not between 1 and ${AMOUNT_MAX}`
  return null
}
