import { countText } from '../../../kernel/count-text.ts'
import { ownValue } from '../../../kernel/records.ts'
import type { CatalogDrift } from '../../../wire/catalog-check.ts'
import type { Session } from '../../connection/session.ts'
import { type Column, flexible, type Look, table } from '../../render/table.ts'

type Finding = CatalogDrift['findings'][number]

/** A value that a dashboard wrote with commas, and the intended value. */
interface Repair {
  readonly kind: Finding['kind']
  readonly name: string
  readonly key: string
  readonly before: string
  readonly after: string
  /** False in a dry run, and if the value has changed meanwhile. */
  readonly done: boolean
}

type PlannedRepair = Omit<Repair, 'done'>

const repairsIn = ({ findings }: CatalogDrift): PlannedRepair[] =>
  findings.flatMap(({ kind, name, key, value, code, suggestion }) =>
    code === 'operator-comma-form' && value !== null && suggestion !== null
      ? [{ kind, name, key, before: value, after: suggestion }]
      : [],
  )

/** Repairs everything on the server that can be repaired; a dry run only reports it. */
export async function repairCommaForms(session: Session, isDry: boolean): Promise<readonly Repair[]> {
  const all: Repair[] = []
  for (;;) {
    const report = await session.berth.drift(null)
    const planned = repairsIn(report)
    if (isDry) return planned.map(one => ({ ...one, done: false }))
    const writer = await writerFor(session, planned)
    const round: Repair[] = []
    for (const one of planned) round.push({ ...one, done: await writer(one) })
    all.push(...round)
    // The server lists only the first thousand findings, so there may be more after these are repaired.
    if (!report.truncated || !round.some(({ done }) => done)) return all
  }
}

/** Writes one repair if the value is still the one that was found. */
type Writer = (planned: PlannedRepair) => Promise<boolean>

async function writerFor(session: Session, planned: readonly PlannedRepair[]): Promise<Writer> {
  const has = (kind: Finding['kind']) => planned.some(one => one.kind === kind)
  const compute = has('flavor') || has('aggregate') ? await session.compute() : null
  const shares = has('share-type') ? await session.shares() : null
  const flavors = has('flavor') ? ((await compute?.flavors()) ?? []) : []
  const aggregates = has('aggregate') ? ((await compute?.aggregates()) ?? []) : []
  const types = (await shares?.types()) ?? []
  return async ({ kind, name, key, before, after }) => {
    const specs = { [key]: after }
    if (kind === 'flavor') {
      const flavor = flavors.find(one => one.name === name && ownValue(one.extra_specs, key) === before)
      if (flavor !== undefined) await compute?.setExtraSpecs(flavor.id, specs)
      return flavor !== undefined
    }
    if (kind === 'aggregate') {
      const aggregate = aggregates.find(one => one.name === name && ownValue(one.metadata, key) === before)
      if (aggregate !== undefined)
        await compute?.actOnAggregate(aggregate.id, { set_metadata: { metadata: specs } })
      return aggregate !== undefined
    }
    const type = types.find(one => one.name === name && ownValue(one.extra_specs, key) === before)
    if (type !== undefined) await shares?.setTypeSpecs(type.id, specs)
    return type !== undefined
  }
}

const COLUMNS: readonly Column[] = ['KIND', 'NAME', 'KEY', flexible('BEFORE'), flexible('AFTER')]

export const repairText = (repairs: readonly Repair[], look: Look): string =>
  table(
    COLUMNS,
    repairs.map(({ kind, name, key, before, after }) => [kind, name, key, before, after]),
    look,
  )

export function repairSummary(repairs: readonly Repair[], isDry: boolean): string {
  const values = (count: number) => countText(count, 'value')
  if (repairs.length === 0) return 'nothing to repair'
  if (isDry) return `${values(repairs.length)} would be repaired; leave out --dry-run to do it`
  const done = repairs.filter(one => one.done).length
  const others = repairs.length - done
  return `${values(done)} repaired${others === 0 ? '' : `; ${values(others)} changed meanwhile and stay as they are`}`
}
