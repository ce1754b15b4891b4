import { byName, list, number, object, orNull, type TypeOf, text, uuid, whole } from './shape.ts'

const inventoryShape = object('How much there is of a class, and in what portions.', {
  total: whole('All there is.'),
  reserved: whole('Amount that consumers cannot take.'),
  min_unit: whole('The least that one consumer may take.'),
  max_unit: whole('The most that one consumer may take.'),
  step_size: whole('Amounts are multiples of it.'),
  allocation_ratio: number('Allocation ratio: capacity is (total - reserved) x ratio.'),
})

export const fleetProviderShape = object('A provider, with all that is on it.', {
  uuid: uuid('Its uuid.'),
  name: text('Its name.'),
  generation: whole('Its generation.'),
  parent_provider_uuid: orNull(uuid('The provider above it.')),
  root_provider_uuid: uuid('The provider at the top of its tree.'),
  inventories: byName(inventoryShape, 'By resource class.'),
  usages: byName(whole('An amount.'), 'What is used, by resource class.'),
  traits: list(text('A trait.'), 'Its traits.'),
  aggregates: list(uuid('An aggregate.'), 'Its aggregates.'),
  revision: whole('The revision that this line shows: that of the header, or a later one.'),
})

export type Inventory = TypeOf<typeof inventoryShape>

/** One line of GET /v1/fleet. */
export type FleetProvider = TypeOf<typeof fleetProviderShape>
/** The same as any Placement shows it. */
export type WholeProvider = Omit<FleetProvider, 'revision'>
