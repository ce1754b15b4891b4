import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { listHosts } from '../aggregates/aggregates.ts'
import type { ComputeRefusal } from '../refusals.ts'
import {
  addHosts,
  applyAggregate,
  describeBefore,
  dropAggregate,
  leave,
  listAppliedAggregates,
  removeHosts,
} from './apply-aggregates.ts'
import { applyFlavor, dropFlavor, findUndeclared, listAppliedFlavors } from './apply-flavors.ts'
import { applyHost, dropHost, listAppliedHosts } from './apply-hosts.ts'
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
  /** The name of this set. What an earlier apply of the set created and this one lacks is deleted. */
  readonly owner: string
  readonly dryRun: boolean
  /** One per declaration, in case it needs one. */
  readonly newUuids: readonly string[]
}

type ApplyStep = Step<PlannedChange | null, ApplyRefusal>

/** Makes everything as declared, in one commit, or says why not. */
export function applyDeclarations(
  world: World,
  command: Apply,
  nowMs: number,
): Decision<readonly PlannedChange[], ApplyRefusal> {
  const twice = findDuplicate(command.declarations)
  if (twice !== null) return refuse({ kind: 'declared-twice', ...twice })
  const decision = decideInSequence(world, planSteps(world, command, nowMs))
  if (!decision.ok) return decision
  const plan = decision.answer.filter(one => one !== null)
  return accept(command.dryRun ? NO_CHANGE : decision.change, plan)
}

function findDuplicate(declarations: Declarations): { what: DeclaredKind; name: string } | null {
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
 * Creates before it deletes, so that no number is used twice in one change; hosts leave their aggregates before others join.
 */
function* planSteps(world: World, command: Apply, nowMs: number): Generator<ApplyStep> {
  const { owner } = command
  const { hosts, flavors, aggregates } = command.declarations
  const uuids = command.newUuids.values()
  const makeApplyOptions = () => ({ owner, newUuid: uuids.next().value as string, nowMs })
  for (const one of hosts ?? [])
    yield withSubject('host', one.name, at => applyHost(at, one, makeApplyOptions()))
  for (const one of flavors ?? [])
    yield withSubject('flavor', one.fields.name, at => applyFlavor(at, one, makeApplyOptions()))
  const befores = (aggregates ?? []).map(one => describeBefore(world, one))
  const isDeclared = new Set(aggregates?.map(one => one.name))
  const dropped =
    aggregates === undefined
      ? []
      : listAppliedAggregates(world, owner).filter(row => !isDeclared.has(row.name))
  for (const one of aggregates ?? [])
    yield withSubject('aggregate', one.name, at => removeHosts(at, one, nowMs))
  for (const row of dropped)
    yield withSubject('aggregate', row.name, at => leave(at, row, listHosts(at, row.id), nowMs))
  yield* planDroppedHosts(world, command, nowMs)
  for (const [at, one] of (aggregates ?? []).entries())
    yield withSubject('aggregate', one.name, world =>
      applyAggregate(world, one, befores[at] ?? {}, makeApplyOptions()),
    )
  for (const one of aggregates ?? []) yield withSubject('aggregate', one.name, at => addHosts(at, one, nowMs))
  for (const row of dropped) yield withSubject('aggregate', row.name, at => dropAggregate(at, row))
  for (const row of flavors === undefined ? [] : findUndeclared(listAppliedFlavors(world, owner), flavors))
    yield withSubject('flavor', row.name, at => dropFlavor(at, row))
}

function* planDroppedHosts(
  world: World,
  { declarations, owner }: Apply,
  nowMs: number,
): Generator<ApplyStep> {
  const { hosts } = declarations
  if (hosts === undefined) return
  const kept = new Set(hosts.map(one => one.name))
  for (const name of listAppliedHosts(world, owner))
    if (!kept.has(name)) yield withSubject('host', name, at => dropHost(at, name, nowMs))
}

/** A step whose refusal names its subject. */
function withSubject(
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
