declare const brand: unique symbol

type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/** Providers and consumers are numbered by their slot in memory; freed slots are reused. */
export type ProviderSlot = Branded<number, 'provider'>
export type ConsumerSlot = Branded<number, 'consumer'>

export type ClassId = Branded<number, 'class'>
export type TraitId = Branded<number, 'trait'>
export type AggregateId = Branded<number, 'aggregate'>

export const NO_PROVIDER = -1 as ProviderSlot

export const providerSlot = (slot: number): ProviderSlot => slot as ProviderSlot
export const consumerSlot = (slot: number): ConsumerSlot => slot as ConsumerSlot
export const classId = (id: number): ClassId => id as ClassId
export const traitId = (id: number): TraitId => id as TraitId
export const aggregateId = (id: number): AggregateId => id as AggregateId
