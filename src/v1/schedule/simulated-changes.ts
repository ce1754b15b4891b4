import type { ComputeRefusal } from '../../compute/refusals.ts'
import { addNewHost, changeInventory, type NewHost, type WhatIfRefusal } from '../../compute/what-if.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { ADDED_HOSTS_MAX, type NewHostBody, type SimulateBody } from '../../wire/simulation.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { Problem } from '../api/problem.ts'
import { toHostFields } from '../fleet/host-fields.ts'
import { toComputeProblem } from '../fleet/hosts.routes.ts'
import { findHost } from './server-asks.ts'

/** Applies the assumptions of a simulation with the real rules, on a private world. */

const makeProblem = (field: string, detail: string) =>
  new Problem(400, 'request.invalid', `${field}: ${detail}`, { field })

/** Hosts added per turn of the event loop. */
const HOSTS_PER_TURN = 50

interface AddingWay {
  readonly newUuid: () => string
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

export async function addHosts(
  copy: WorldCopy,
  bodies: readonly NewHostBody[],
  { newUuid, nowMs, pause }: AddingWay,
): Promise<string[]> {
  const { world } = copy
  const wanted = bodies.reduce((sum, { count = 1 }) => sum + count, 0)
  if (wanted > ADDED_HOSTS_MAX)
    throw makeProblem('add', `at most ${ADDED_HOSTS_MAX} hosts can be added, not ${wanted}.`)
  const added: string[] = []
  for (const [at, body] of bodies.entries()) {
    const { like, name, count = 1, aggregates, ...settings } = body
    if (like === undefined && settings.inventories === undefined)
      throw makeProblem(`add.${at}`, 'either like or inventories says what the host has.')
    if (like === undefined && name === undefined)
      throw makeProblem(`add.${at}`, 'a host without like needs a name.')
    const model = like === undefined ? null : (world.providers.find(findHost(world, like)) as ProviderSlot)
    const common = {
      like: model,
      fields: toHostFields(settings),
      aggregates: aggregates === undefined ? null : aggregates.map(one => findAggregate(world, one)),
    }
    for (const host of makeNames(world, name, model, count)) {
      add(copy, { ...common, name: host, uuid: newUuid() }, newUuid, nowMs)
      if (added.push(host) % HOSTS_PER_TURN === 0) await pause()
    }
  }
  return added
}

function add(copy: WorldCopy, host: NewHost, newUuid: () => string, nowMs: number): void {
  const decided = addNewHost(copy.world, host, newUuid, nowMs)
  if (!decided.ok) throw toProblem(decided.refusal)
  copy.make(decided.change)
}

/** A given name is used as it is; numbers skip existing names. */
function makeNames(
  world: World,
  name: string | undefined,
  like: ProviderSlot | null,
  count: number,
): string[] {
  if (name !== undefined && count === 1) return [name]
  const stem = name === undefined ? `${world.providers.name(like as ProviderSlot)}+` : `${name}-`
  const names: string[] = []
  for (let number = 1; names.length < count; number++)
    if (world.providers.findName(`${stem}${number}`) === undefined) names.push(`${stem}${number}`)
  return names
}

/** Its number, by its name or uuid. */
export function findAggregate({ compute }: World, text: string): number {
  const row = compute.findAggregateByName(text) ?? compute.aggregates.find(normalizeUuid(text) ?? text)
  if (row === undefined) throw toComputeProblem({ kind: 'aggregate-missing', aggregate: text })
  return row.id
}

export function changeInventories(
  copy: WorldCopy,
  bodies: NonNullable<SimulateBody['inventories']>,
  nowMs: number,
): void {
  const { world } = copy
  for (const body of bodies) {
    const provider = findProvider(world, body.provider)
    const { class: name, total, reserved, min_unit, max_unit, step_size, allocation_ratio } = body
    const given = {
      total,
      reserved,
      minUnit: min_unit,
      maxUnit: max_unit,
      stepSize: step_size,
      allocationRatio: allocation_ratio,
    }
    const record = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const decided = changeInventory(world, { provider, class: name, record }, nowMs)
    if (!decided.ok) throw toProblem(decided.refusal)
    copy.make(decided.change)
  }
}

function findProvider({ providers }: World, text: string): string {
  const slot = providers.findName(text) ?? providers.find(normalizeUuid(text) ?? text)
  if (slot !== undefined) return providers.uuid(slot)
  throw new Problem(404, 'simulate.provider-missing', `There is no provider ${text}.`, { provider: text })
}

function toProblem(refusal: WhatIfRefusal): Problem {
  const { kind, ...facts } = refusal
  const problem = (status: number, text: string) => new Problem(status, `simulate.${kind}`, text, facts)
  switch (refusal.kind) {
    case 'class-missing':
      return problem(404, `There is no resource class ${refusal.name}.`)
    case 'bad-capacity':
      return problem(409, `The inventory of ${refusal.class} would have a negative capacity.`)
    case 'total-missing':
      return problem(400, `${refusal.provider} has no inventory of ${refusal.class}, so give its total.`)
    case 'provider-exists':
      return problem(409, `There is a provider with the ${refusal.field} ${refusal.value} already.`)
    case 'traits-missing':
      return problem(404, `There is no trait ${refusal.names.join(', ')}.`)
    case 'provider-missing':
    case 'generation-conflict':
    case 'inventory-exists':
    case 'inventory-missing':
    case 'inventory-in-use':
    case 'name-required':
    case 'parent-is-self':
    case 'parent-missing':
      return problem(409, `The change is refused: ${refusal.kind}.`)
    default:
      return toComputeProblem(refusal satisfies ComputeRefusal)
  }
}
