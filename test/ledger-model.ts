/**
 * The write rules of Placement over plain maps: written from upstream's behaviour to be read, not to be fast,
 * and without a look at how src/placement decides. Refusals are thrown, and a refused command leaves the model
 * as it was, because every command works on a copy.
 */
import type { InventoryRecord } from '../src/placement/inventories/inventories.ts'
import type { groupRules, PlacementRules } from '../src/placement/rules.ts'

/** What upstream's API can ask for; an import takes over a ledger that others kept. */
type Kind = Exclude<keyof PlacementRules, 'placement:import-lines' | keyof typeof groupRules>
type Body<K extends Kind> = Parameters<PlacementRules[K]>[1]
type RefusalOf<K extends Kind> = Extract<ReturnType<PlacementRules[K]>, { readonly ok: false }>['refusal']

export type Command = { readonly [K in Kind]: { readonly kind: K; readonly body: Body<K> } }[Kind]
export type Refusal = RefusalOf<Kind>
type Outcome =
  | { readonly kind: 'ok'; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

type Claim = Body<'placement:replace-allocations'>['claims'][number]

export interface ModelProvider {
  uuid: string
  name: string
  generation: number
  parent: string | null
  /** By class number, so that a renamed class stays the same class. */
  inventories: Map<number, InventoryRecord>
  traits: Set<string>
  aggregates: Set<string>
}

export interface ModelConsumer {
  generation: number
  projectId: string
  userId: string
  type: string | null
  /** Provider, then class number, then amount. */
  holdings: Map<string, Map<number, number>>
}

export interface Model {
  classes: Map<string, number>
  /** In the order in which they came to be, as are aggregates. */
  traits: Set<string>
  aggregates: Set<string>
  providers: Map<string, ModelProvider>
  consumers: Map<string, ModelConsumer>
}

const CUSTOM_CLASS_ID_MIN = 10_000

export function emptyModel(): Model {
  return {
    classes: new Map(),
    traits: new Set(),
    aggregates: new Set(),
    providers: new Map(),
    consumers: new Map(),
  }
}

class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

function refuse(refusal: Refusal): never {
  throw new Refused(refusal)
}

/** Does the command, or leaves everything as it was. */
export function step(model: Model, command: Command): Outcome {
  const draft = structuredClone(model)
  try {
    const answer = run(draft, command)
    Object.assign(model, draft)
    return { kind: 'ok', answer }
  } catch (thrown) {
    if (thrown instanceof Refused) return { kind: 'refused', refusal: thrown.refusal }
    throw thrown
  }
}

const steps: { readonly [K in Kind]: (model: Model, body: Body<K>) => unknown } = {
  'placement:sync-standards': syncStandards,
  'placement:learn-traits': learnTraits,
  'placement:create-class': createClass,
  'placement:ensure-class': ensureClass,
  'placement:rename-class': renameClass,
  'placement:delete-class': deleteClass,
  'placement:ensure-trait': ensureTrait,
  'placement:delete-trait': deleteTrait,
  'placement:create-provider': createProvider,
  'placement:update-provider': updateProvider,
  'placement:delete-provider': deleteProvider,
  'placement:set-provider-traits': setProviderTraits,
  'placement:set-aggregates': setAggregates,
  'placement:add-inventory': addInventory,
  'placement:update-inventory': updateInventory,
  'placement:replace-inventories': replaceInventories,
  'placement:delete-inventory': deleteInventory,
  'placement:replace-allocations': replaceAllocations,
  'placement:delete-allocations': deleteAllocations,
  'placement:reshape': reshape,
}

function run(model: Model, command: Command): unknown {
  const rule = steps[command.kind] as (model: Model, body: unknown) => unknown
  return rule(model, command.body)
}

// What can be asked of a model.

export function nameOfClass(model: Model, id: number): string {
  for (const [name, known] of model.classes) if (known === id) return name
  throw new Error(`no class ${id}`)
}

export function usage(model: Model, provider: string, id: number): number {
  let used = 0
  for (const { holdings } of model.consumers.values()) used += holdings.get(provider)?.get(id) ?? 0
  return used
}

export function rootOf(model: Model, provider: string): string {
  const parent = model.providers.get(provider)?.parent ?? null
  return parent === null ? provider : rootOf(model, parent)
}

/** Fractional: only what is shown to people is cut to a whole number. */
export function capacityOf(record: InventoryRecord): number {
  return (record.total - record.reserved) * record.allocationRatio
}

const byId = (a: number, b: number) => a - b

function existing(model: Model, uuid: string): ModelProvider {
  return model.providers.get(uuid) ?? refuse({ kind: 'provider-missing', uuid })
}

function existingAt(model: Model, uuid: string, given: number | null): ModelProvider {
  const provider = existing(model, uuid)
  const actual = provider.generation
  if (given !== null && given !== actual) refuse({ kind: 'generation-conflict', actual, given })
  return provider
}

function classId(model: Model, name: string): number {
  return model.classes.get(name) ?? refuse({ kind: 'class-missing', name })
}

// Classes and traits.

function syncStandards(model: Model, body: Body<'placement:sync-standards'>) {
  const before = model.classes.size + model.traits.size
  body.classes.forEach((name, id) => {
    if (!model.classes.has(name)) model.classes.set(name, id)
  })
  for (const name of body.traits) model.traits.add(name)
  return { added: model.classes.size + model.traits.size - before }
}

function learnTraits(model: Model, body: Body<'placement:learn-traits'>) {
  const added = [...new Set(body.traits)].filter(name => !model.traits.has(name))
  for (const name of added) model.traits.add(name)
  return { added }
}

function createClass(model: Model, { name }: Body<'placement:create-class'>) {
  if (model.classes.has(name)) refuse({ kind: 'class-exists', name })
  model.classes.set(name, Math.max(CUSTOM_CLASS_ID_MIN - 1, ...model.classes.values()) + 1)
  return null
}

function ensureClass(model: Model, { name }: Body<'placement:ensure-class'>) {
  const created = !model.classes.has(name)
  if (created) createClass(model, { name })
  return { created }
}

function renameClass(model: Model, { name, newName }: Body<'placement:rename-class'>) {
  const id = classId(model, name)
  if (id < CUSTOM_CLASS_ID_MIN) refuse({ kind: 'class-standard', name })
  if (newName !== name && model.classes.has(newName)) refuse({ kind: 'class-exists', name: newName })
  model.classes.delete(name)
  model.classes.set(newName, id)
  return null
}

function deleteClass(model: Model, { name }: Body<'placement:delete-class'>) {
  const id = classId(model, name)
  if (id < CUSTOM_CLASS_ID_MIN) refuse({ kind: 'class-standard', name })
  for (const { inventories } of model.providers.values())
    if (inventories.has(id)) refuse({ kind: 'class-in-use', name })
  model.classes.delete(name)
  return null
}

function ensureTrait(model: Model, { name }: Body<'placement:ensure-trait'>) {
  const created = !model.traits.has(name)
  model.traits.add(name)
  return { created }
}

function deleteTrait(model: Model, { name }: Body<'placement:delete-trait'>) {
  if (!model.traits.has(name)) refuse({ kind: 'trait-missing', name })
  if (!name.startsWith('CUSTOM_')) refuse({ kind: 'trait-standard', name })
  for (const { traits } of model.providers.values())
    if (traits.has(name)) refuse({ kind: 'trait-in-use', name })
  model.traits.delete(name)
  return null
}

// Providers.

function view(model: Model, provider: ModelProvider) {
  const { uuid, name, generation, parent } = provider
  return { uuid, name, generation, parentUuid: parent, rootUuid: rootOf(model, uuid) }
}

function nameTaken(model: Model, name: string, by: string): boolean {
  return [...model.providers.values()].some(other => other.name === name && other.uuid !== by)
}

function createProvider(model: Model, { uuid, name, parent }: Body<'placement:create-provider'>) {
  if (name === '') refuse({ kind: 'name-required' })
  if (parent === uuid) refuse({ kind: 'parent-is-self' })
  if (parent !== null && !model.providers.has(parent)) refuse({ kind: 'parent-missing' })
  if (model.providers.has(uuid)) refuse({ kind: 'provider-exists', field: 'uuid', value: uuid })
  if (nameTaken(model, name, uuid)) refuse({ kind: 'provider-exists', field: 'name', value: name })
  const provider: ModelProvider = {
    uuid,
    name,
    generation: 0,
    parent,
    inventories: new Map(),
    traits: new Set(),
    aggregates: new Set(),
  }
  model.providers.set(uuid, provider)
  return view(model, provider)
}

function updateProvider(model: Model, body: Body<'placement:update-provider'>) {
  const provider = existing(model, body.provider)
  const { name, parent, mayReparent } = body
  if (parent !== undefined && parent !== null) {
    if (!model.providers.has(parent)) refuse({ kind: 'parent-missing' })
    if (provider.parent !== null && provider.parent !== parent && !mayReparent)
      refuse({ kind: 'reparenting-not-allowed' })
    for (let at: string | null = parent; at !== null; at = existing(model, at).parent)
      if (at === provider.uuid) refuse({ kind: 'loop' })
  }
  if (parent === null && provider.parent !== null && !mayReparent) refuse({ kind: 'unparenting-not-allowed' })
  if (nameTaken(model, name, provider.uuid)) refuse({ kind: 'provider-exists', field: 'name', value: name })
  provider.name = name
  if (parent !== undefined) provider.parent = parent
  return view(model, provider)
}

function deleteProvider(model: Model, body: Body<'placement:delete-provider'>) {
  const { uuid } = existing(model, body.provider)
  for (const { parent } of model.providers.values())
    if (parent === uuid) refuse({ kind: 'has-children', uuid })
  const consumers = [...model.consumers.values()].filter(({ holdings }) => holdings.has(uuid)).length
  if (consumers > 0) refuse({ kind: 'has-allocations', uuid, consumers })
  model.providers.delete(uuid)
  return null
}

function setProviderTraits(model: Model, body: Body<'placement:set-provider-traits'>) {
  const provider = existingAt(model, body.provider, body.generation)
  const wanted = new Set(body.traits)
  const names = [...wanted].filter(name => !model.traits.has(name))
  if (names.length > 0) refuse({ kind: 'traits-missing', names })
  // Setting what is set already is no change, and the only write that raises nothing for that reason.
  if (wanted.symmetricDifference(provider.traits).size > 0) provider.generation += 1
  provider.traits = wanted
  return { generation: provider.generation, traits: [...model.traits].filter(name => wanted.has(name)) }
}

function setAggregates(model: Model, body: Body<'placement:set-aggregates'>) {
  const provider = existingAt(model, body.provider, body.generation)
  for (const uuid of body.aggregates) model.aggregates.add(uuid)
  provider.aggregates = new Set(body.aggregates)
  if (body.generation !== null) provider.generation += 1
  return { generation: provider.generation }
}

// Inventories.

function checkCapacity(name: string, record: InventoryRecord, mayBeFullyReserved: boolean) {
  const shown = Math.trunc(capacityOf(record))
  if (shown < 0 || (shown === 0 && !mayBeFullyReserved)) refuse({ kind: 'bad-capacity', class: name })
}

/** Usages of the classes with allocations there, in class-id order. */
function inUse(model: Model, provider: ModelProvider, ids: Iterable<number>): string[] {
  return [...ids]
    .filter(id => usage(model, provider.uuid, id) > 0)
    .sort(byId)
    .map(id => nameOfClass(model, id))
}

const without = (inventories: Map<number, unknown>, kept: Map<number, unknown>) =>
  [...inventories.keys()].filter(id => !kept.has(id))

function addInventory(model: Model, body: Body<'placement:add-inventory'>) {
  const provider = existing(model, body.provider)
  checkCapacity(body.class, body.record, body.mayBeFullyReserved)
  const id = classId(model, body.class)
  if (provider.inventories.has(id)) refuse({ kind: 'inventory-exists', class: body.class })
  provider.inventories.set(id, body.record)
  provider.generation += 1
  return { generation: provider.generation }
}

function updateInventory(model: Model, body: Body<'placement:update-inventory'>) {
  const provider = existingAt(model, body.provider, body.generation)
  checkCapacity(body.class, body.record, body.mayBeFullyReserved)
  const id = classId(model, body.class)
  if (!provider.inventories.has(id)) refuse({ kind: 'inventory-missing', class: body.class })
  provider.inventories.set(id, body.record)
  provider.generation += 1
  return { generation: provider.generation }
}

function replaceInventories(model: Model, body: Body<'placement:replace-inventories'>) {
  const provider = existingAt(model, body.provider, body.generation)
  for (const [name, record] of body.inventories) checkCapacity(name, record, body.mayBeFullyReserved)
  const wanted = new Map(body.inventories.map(([name, record]) => [classId(model, name), record]))
  const classes = inUse(model, provider, without(provider.inventories, wanted))
  if (classes.length > 0) refuse({ kind: 'inventory-in-use', classes })
  provider.inventories = wanted
  provider.generation += 1
  return { generation: provider.generation }
}

function deleteInventory(model: Model, body: Body<'placement:delete-inventory'>) {
  const provider = existing(model, body.provider)
  const id = classId(model, body.class)
  const classes = inUse(model, provider, [id])
  if (classes.length > 0) refuse({ kind: 'inventory-in-use', classes })
  if (!provider.inventories.delete(id)) refuse({ kind: 'inventory-missing', class: body.class })
  provider.generation += 1
  return { generation: provider.generation }
}

// Allocations.

/** Before any amount is looked at: every consumer is as its client saw it, every provider exists. */
function checkClaimants(model: Model, claims: readonly Claim[]) {
  for (const { consumer, generation: given } of claims) {
    const actual = model.consumers.get(consumer)?.generation ?? null
    if (given !== undefined && given !== actual)
      refuse({ kind: 'consumer-generation', consumer, actual, given })
  }
  for (const { allocations } of claims)
    for (const { provider } of allocations)
      if (!model.providers.has(provider)) refuse({ kind: 'claimed-provider-missing', uuid: provider })
}

interface Line {
  readonly consumer: string
  readonly provider: string
  readonly id: number
  /** Zero: let go of it. */
  readonly amount: number
}

/** What is asked, line by line; asking for nothing means letting go of everything held. */
function linesOf(model: Model, { consumer, allocations }: Claim): Line[] {
  if (allocations.length > 0)
    return allocations.flatMap(({ provider, resources }) =>
      resources.map(([name, amount]) => ({ consumer, provider, id: classId(model, name), amount })),
    )
  const holdings = [...(model.consumers.get(consumer)?.holdings ?? [])]
  return holdings.flatMap(([provider, held]) =>
    [...held.keys()].map(id => ({ consumer, provider, id, amount: 0 })),
  )
}

/** `after` is the model in which the consumers of the claims have let go of all they held. */
function checkLines(before: Model, after: Model, lines: readonly Line[]) {
  const ids = [...new Set(lines.map(line => line.id))].sort(byId)
  const bare = [...new Set(lines.map(line => line.provider))].filter(
    provider => !ids.some(id => existing(after, provider).inventories.has(id)),
  )
  if (bare.length > 0)
    refuse({ kind: 'no-inventory', classes: ids.map(id => nameOfClass(after, id)), providers: bare })
  const booked = new Map<string, number>()
  for (const { provider, id, amount } of lines) {
    if (amount === 0) continue
    const name = nameOfClass(after, id)
    const record = existing(after, provider).inventories.get(id)
    if (record === undefined) refuse({ kind: 'no-inventory', classes: [name], providers: [provider] })
    const { minUnit, maxUnit, stepSize } = record
    if (amount < minUnit || amount > maxUnit || amount % stepSize !== 0)
      refuse({ kind: 'units-violated', class: name, provider, amount, minUnit, maxUnit, stepSize })
    const key = `${provider} ${id}`
    const earlier = booked.get(key) ?? 0
    const used = usage(after, provider, id) + earlier
    const capacity = capacityOf(record)
    // Above capacity because of a shrink, a write that does not worsen it is accepted.
    if (used + amount > capacity && used + amount > usage(before, provider, id))
      refuse({ kind: 'over-capacity', class: name, provider, amount, used, capacity })
    booked.set(key, earlier + amount)
  }
}

function writeClaims(model: Model, claims: readonly Claim[]) {
  const lines = claims.flatMap(claim => linesOf(model, claim))
  const before = structuredClone(model)
  for (const { consumer } of claims) model.consumers.delete(consumer)
  checkLines(before, model, lines)
  for (const claim of claims) {
    // A consumer exists as long as it holds something.
    if (claim.allocations.length === 0) continue
    const was = before.consumers.get(claim.consumer)
    model.consumers.set(claim.consumer, {
      generation: (was?.generation ?? 0) + 1,
      projectId: claim.projectId,
      userId: claim.userId,
      type: claim.type ?? was?.type ?? null,
      holdings: new Map(),
    })
  }
  for (const { consumer, provider, id, amount } of lines) {
    if (amount === 0) continue
    const { holdings } = model.consumers.get(consumer) as ModelConsumer
    holdings.set(provider, (holdings.get(provider) ?? new Map<number, number>()).set(id, amount))
  }
  // Once for each provider, however many lines name it. What was merely moved away from is not named.
  for (const provider of new Set(lines.map(line => line.provider))) existing(model, provider).generation += 1
}

function replaceAllocations(model: Model, { claims }: Body<'placement:replace-allocations'>) {
  checkClaimants(model, claims)
  writeClaims(model, claims)
  return null
}

function deleteAllocations(model: Model, { consumer }: Body<'placement:delete-allocations'>) {
  if (!model.consumers.delete(consumer)) refuse({ kind: 'no-allocations', consumer })
  return null
}

// The reshaper: old and new inventories together, then the claims, then the new inventories alone.

function reshape(model: Model, body: Body<'placement:reshape'>) {
  for (const { provider: uuid, generation: given } of body.inventories) {
    const actual = model.providers.get(uuid)?.generation
    if (actual === undefined) refuse({ kind: 'reshaped-provider-missing', uuid })
    if (actual !== given) refuse({ kind: 'reshape-generation-conflict', uuid, actual, given })
  }
  checkClaimants(model, body.claims)
  const wanted = body.inventories.map(({ provider, inventories }) => ({
    provider: existing(model, provider),
    records: new Map(inventories.map(([name, record]) => [classId(model, name), record])),
  }))
  for (const { provider, records } of wanted) {
    for (const [id, record] of records) provider.inventories.set(id, record)
    if (records.size > 0) provider.generation += 1
  }
  writeClaims(model, body.claims)
  for (const { provider, records } of wanted) {
    const classes = inUse(model, provider, without(provider.inventories, records))
    if (classes.length > 0) refuse({ kind: 'reshape-inventory-in-use', classes, provider: provider.uuid })
    provider.inventories = records
    provider.generation += 1
  }
  return null
}
