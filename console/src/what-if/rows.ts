import type { Fits, Simulation } from '../../../src/wire/simulation.ts'

export interface FitRow {
  readonly name: string
  readonly to?: string
  /** Null: unknown, because there are too many hosts. */
  readonly before: number | null
  /** Null: no change is assumed. */
  readonly after: number | null
}

export function zoneRows({ before, after }: Pick<Simulation, 'before' | 'after'>): FitRow[] {
  const zones = new Set([...before.by_zone, ...(after?.by_zone ?? [])].map(({ zone }) => zone))
  const fitsIn = (fits: Fits, zone: string) => fits.by_zone.find(one => one.zone === zone)?.fits ?? 0
  return [...zones].sort().map(zone => ({
    name: zone,
    before: fitsIn(before, zone),
    after: after === null ? null : fitsIn(after, zone),
  }))
}

/** How many are shown at once. */
const SHOWN_MAX = 30

/**
 * Drained hosts first, then those that change most, then those that take most. A host that is not listed takes
 * none, unless the list was cut. Hypothetical hosts have no page.
 */
export function hostRows(
  { before, after, added }: Pick<Simulation, 'before' | 'after' | 'added'>,
  drained: readonly string[],
): { readonly rows: readonly FitRow[]; readonly leftOut: number } {
  const [was, is] = [byName(before), after === null ? null : byName(after)]
  const fresh = new Set(added)
  const providers = new Map(
    [...before.by_host, ...(after?.by_host ?? [])].map(one => [one.host, one.provider]),
  )
  const emptied = new Set(
    drained.map(one => [...providers].find(([, provider]) => provider === one)?.[0] ?? one),
  )
  const rows = [...new Set([...emptied, ...providers.keys()])].map((name): FitRow => {
    const provider = providers.get(name)
    return {
      name,
      ...(fresh.has(name) || provider === undefined ? {} : { to: `/providers/${provider}` }),
      before: was.get(name) ?? (fresh.has(name) || before.by_host_left_out === 0 ? 0 : null),
      after: is === null ? null : emptied.has(name) ? 0 : (is.get(name) ?? 0),
    }
  })
  const differs = ({ before: one, after: other }: FitRow) => Math.abs((other ?? 0) - (one ?? 0))
  const isEmptied = (row: FitRow) => Number(emptied.has(row.name))
  const sorted = rows.toSorted(
    (one, other) =>
      isEmptied(other) - isEmptied(one) ||
      (is === null ? 0 : differs(other) - differs(one)) ||
      (other.after ?? other.before ?? 0) - (one.after ?? one.before ?? 0) ||
      one.name.localeCompare(other.name),
  )
  const shown = sorted.slice(0, Math.max(SHOWN_MAX, emptied.size))
  return { rows: shown, leftOut: rows.length - shown.length + (after ?? before).by_host_left_out }
}

const byName = ({ by_host }: Fits): ReadonlyMap<string, number> =>
  new Map(by_host.map(({ host, fits }) => [host, fits]))
