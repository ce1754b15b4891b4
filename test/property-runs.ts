/** What part of the cases of a search `npm test` tries; `npm run sim` tries all, of the same seed. */
const SHORT_PART = 1 / 5

const { BERTH_PROPERTY_RUNS, BERTH_WHOLE_SEARCH } = process.env

/** How many cases a property test tries, of so many. BERTH_PROPERTY_RUNS asks for another number. */
export function countRuns(all: number): number {
  if (BERTH_PROPERTY_RUNS !== undefined) return Number(BERTH_PROPERTY_RUNS)
  return BERTH_WHOLE_SEARCH === undefined ? Math.ceil(all * SHORT_PART) : all
}
