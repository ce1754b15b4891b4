import { compareLedgers, type LedgerDifference } from '../openstack/placement/compare.ts'
import { isCustom } from '../openstack/placement/ledger.ts'
import type { PlacementApi } from '../openstack/placement/placement-api.ts'
import { type ImportPlan, planImport } from '../openstack/placement/plan-import.ts'
import { PlacementWriter } from '../openstack/placement/write-api.ts'
import type { PlacementRules } from '../placement/rules.ts'
import type { CloudLine } from '../placement/transfer/lines.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import type { Orphans } from './orphans.ts'
import { type PartLedgers, PartReader } from './part-ledger.ts'
import type { ShadowRules, Side } from './rules.ts'

interface RepairParts {
  readonly world: World
  readonly sequencer: Pick<Sequencer<PlacementRules & ShadowRules>, 'submit'>
  readonly connect: () => Promise<PlacementApi>
  readonly orphans: Orphans
  /** A repair of Placement raised the generations of these there. They have not been compared since. */
  readonly alsoWrote: (providers: ReadonlySet<string>) => void
}

/** The result of a comparison. `moved`: the objects changed meanwhile, so nothing is known. */
export type Checked =
  | { readonly kind: 'equal' }
  | { readonly kind: 'moved' }
  | {
      readonly kind: 'differed'
      readonly differences: readonly LedgerDifference[]
      /** Why the repair failed; null if it succeeded. */
      readonly failure: string | null
    }

/** Compares parts of both ledgers, and makes one side equal to the other. */
export class Repair {
  readonly #parts: RepairParts

  constructor(parts: RepairParts) {
    this.#parts = parts
  }

  /** Compares the objects with all their consumers. */
  async compare(subjects: Iterable<string>): Promise<readonly LedgerDifference[]> {
    const { theirs, ours } = await this.#read(subjects, true)
    return compareLedgers(theirs, ours)
  }

  /** `truth` is the side that is right; `isStill` is false if the objects may have changed since the reading began. */
  async repair(
    subjects: Iterable<string>,
    truth: Side,
    isStill: () => boolean,
    isWhole = false,
  ): Promise<Checked> {
    const parts = await this.#read(subjects, isWhole)
    const differences = compareLedgers(parts.theirs, parts.ours, { ratioDigits: truth === 'placement' })
    if (!isStill()) return { kind: 'moved' }
    this.#parts.orphans.note(parts.orphaned)
    if (differences.length === 0) return { kind: 'equal' }
    if (truth === 'placement') return this.#mirrorTheirs(parts, differences)
    const failure = await this.#writeOurs(parts)
    if (failure !== null) return { kind: 'differed', differences, failure }
    if (!isStill()) return { kind: 'moved' }
    // Placement counts generations by itself, so Berth takes over its present ones.
    const after = await this.#read(subjects, isWhole)
    const left = compareLedgers(after.theirs, after.ours)
    if (left.some(({ field }) => field !== 'generation'))
      return { kind: 'differed', differences, failure: 'Placement still differs after it was written' }
    if (left.length > 0 && (await this.#mirrorTheirs(after, left)).kind === 'moved') return { kind: 'moved' }
    return { kind: 'differed', differences, failure: null }
  }

  async #read(subjects: Iterable<string>, isWhole: boolean): Promise<PartLedgers> {
    return new PartReader(this.#parts.world, await this.#parts.connect(), isWhole).read(subjects)
  }

  async #mirrorTheirs(
    { theirs, ours }: PartLedgers,
    differences: readonly LedgerDifference[],
  ): Promise<Checked> {
    const { sequencer } = this.#parts
    const plan = planImport(theirs, ours, { mirror: true })
    if (plan.traitsToLearn.length > 0)
      await sequencer.submit({ kind: 'placement:learn-traits', traits: plan.traitsToLearn })
    const things = ['provider', 'consumer'] as const
    const expected = things.flatMap(kind => {
      const [here, there] =
        kind === 'provider' ? [ours.providers, theirs.providers] : [ours.consumers, theirs.consumers]
      return [...new Set([...here.keys(), ...there.keys()])].map(uuid => {
        const fields = here.get(uuid)
        return [kind, uuid, fields === undefined ? null : JSON.stringify(fields)] as const
      })
    })
    const outcome = await sequencer.submit({ kind: 'shadow:mirror', lines: plan.lines, expected })
    if (!outcome.ok) {
      const { refusal } = outcome
      if (refusal.kind === 'changed') return { kind: 'moved' }
      return { kind: 'differed', differences, failure: refusal.reason }
    }
    return { kind: 'differed', differences, failure: await this.#removeNames(plan) }
  }

  async #removeNames({ namesToRemove }: ImportPlan): Promise<string | null> {
    for (const { kind, name } of namesToRemove) {
      const outcome = await this.#parts.sequencer.submit(
        kind === 'trait'
          ? { kind: 'placement:delete-trait', name }
          : { kind: 'placement:delete-class', name },
      )
      if (!outcome.ok) return `${kind} ${name}: ${outcome.refusal.kind}`
    }
    return null
  }

  async #writeOurs({ theirs, ours }: PartLedgers): Promise<string | null> {
    const plan = planImport(ours, theirs, { mirror: true, generations: false })
    const writer = new PlacementWriter(await this.#parts.connect())
    for (const line of [...listUsedNames(plan.lines), ...plan.lines]) await writer.write(line)
    for (const name of plan.namesToRemove) await writer.removeName(name)
    const others = listProvidersOf(plan.lines).difference(new Set(theirs.providers.keys()))
    if (others.size > 0) this.#parts.alsoWrote(others)
    const [first] = writer.refused
    if (first === undefined) return null
    const remedy = this.#parts.orphans.describe(theirs.providers.keys())
    return `${first.what}: ${first.reason}${remedy === null ? '' : `. ${remedy}`}`
  }
}

/** The providers on which consumers of these lines hold something. */
const listProvidersOf = (lines: readonly CloudLine[]): Set<string> =>
  new Set(lines.flatMap(line => ('consumer' in line ? Object.keys(line.consumer.allocations) : [])))

/** Custom names that the providers use. Placement may lack them. */
function* listUsedNames(lines: readonly CloudLine[]): Generator<CloudLine> {
  for (const line of lines) {
    if (!('provider' in line)) continue
    for (const name of Object.keys(line.provider.inventories))
      if (isCustom(name)) yield { resource_class: { name } }
    for (const name of line.provider.traits) if (isCustom(name)) yield { trait: { name } }
  }
}
