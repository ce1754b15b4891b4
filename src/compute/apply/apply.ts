import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import { inSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { hostsOf } from '../aggregates/aggregates.ts'
import type { ComputeRefusal } from '../refusals.ts'
import {
  aggregateBefore,
  appliedAggregates,
  applyAggregate,
  dropAggregate,
  joiningHosts,
  leave,
  leavingHosts,
} from './apply-aggregates.ts'
import { appliedFlavors, applyFlavor, dropFlavor, unmeant } from './apply-flavors.ts'
import { appliedHosts, applyHost, dropHost } from './apply-hosts.ts'
import type { Declarations, DeclaredKind, PlannedChange } from './declarations.ts'

export type ApplyRefusal =
  | { readonly kind: 'declared-twice'; readonly what: DeclaredKind; readonly name: string }
  | {
      readonly kind: 'declaration-refused'
      readonly what: DeclaredKind
      readonly name: string
      readonly refusal: ComputeRefusal
    }

export interface Apply {
  readonly declarations: Declarations
  /** The set that these are: what was applied from it and is not in it any more goes. */
  readonly owner: string
  readonly dryRun: boolean
  /** One for each declaration, in case it needs one. */
  readonly newUuids: readonly string[]
}

type ApplyStep = Step<PlannedChange | null, ApplyRefusal>

/** Makes everything as declared, in one commit, or says why not. */
export function applyDeclarations(
  world: World,
  command: Apply,
  nowMs: number,
): Decision<readonly PlannedChange[], ApplyRefusal> {
  const twice = firstTwice(command.declarations)
  if (twice !== null) return refuse({ kind: 'declared-twice', ...twice })
  const decision = inSequence(world, steps(world, command, nowMs))
  if (!decision.ok) return decision
  const plan = decision.answer.filter(one => one !== null)
  return accept(command.dryRun ? NO_CHANGE : decision.change, plan)
}

function firstTwice(declarations: Declarations): { what: DeclaredKind; name: string } | null {
  const { hosts = [], flavors = [], aggregates = [] } = declarations
  const all: [DeclaredKind, readonly string[]][] = [
    ['host', hosts.map(one => one.name)],
    ['flavor', flavors.map(one => one.fields.name)],
    ['flavor', flavors.flatMap(one => one.id ?? [])],
    ['aggregate', aggregates.map(one => one.name)],
  ]
  for (const [what, names] of all) {
    const seen = new Set<string>()
    for (const name of names) {
      if (seen.has(name)) return { what, name }
      seen.add(name)
    }
  }
  return null
}

/**
 * What is made comes before what goes, so that no number is given out twice in one change; hosts leave their aggregates
 * before others join.
 */
function* steps(world: World, command: Apply, nowMs: number): Generator<ApplyStep> {
  const { owner } = command
  const { hosts, flavors, aggregates } = command.declarations
  const uuids = command.newUuids.values()
  const how = () => ({ owner, newUuid: uuids.next().value as string, nowMs })
  for (const one of hosts ?? []) yield named('host', one.name, at => applyHost(at, one, how()))
  for (const one of flavors ?? []) yield named('flavor', one.fields.name, at => applyFlavor(at, one, how()))
  const befores = (aggregates ?? []).map(one => aggregateBefore(world, one))
  const isDeclared = new Set(aggregates?.map(one => one.name))
  const dropped =
    aggregates === undefined ? [] : appliedAggregates(world, owner).filter(row => !isDeclared.has(row.name))
  for (const one of aggregates ?? []) yield named('aggregate', one.name, at => leavingHosts(at, one, nowMs))
  for (const row of dropped)
    yield named('aggregate', row.name, at => leave(at, row, hostsOf(at, row.id), nowMs))
  yield* droppedHosts(world, command, nowMs)
  for (const [at, one] of (aggregates ?? []).entries())
    yield named('aggregate', one.name, world => applyAggregate(world, one, befores[at] ?? {}, how()))
  for (const one of aggregates ?? []) yield named('aggregate', one.name, at => joiningHosts(at, one, nowMs))
  for (const row of dropped) yield named('aggregate', row.name, at => dropAggregate(at, row))
  for (const row of flavors === undefined ? [] : unmeant(appliedFlavors(world, owner), flavors))
    yield named('flavor', row.name, at => dropFlavor(at, row))
}

function* droppedHosts(world: World, { declarations, owner }: Apply, nowMs: number): Generator<ApplyStep> {
  const { hosts } = declarations
  if (hosts === undefined) return
  const kept = new Set(hosts.map(one => one.name))
  for (const name of appliedHosts(world, owner))
    if (!kept.has(name)) yield named('host', name, at => dropHost(at, name, nowMs))
}

/** A step whose refusal says what it was about. */
function named(
  what: DeclaredKind,
  name: string,
  decide: Step<PlannedChange | null, ComputeRefusal>,
): ApplyStep {
  return world => {
    const decision = decide(world)
    if (decision.ok) return decision
    return refuse({ kind: 'declaration-refused', what, name, refusal: decision.refusal })
  }
}
