/**
 * The commit and tail protocol in virtual time: three processes with the real sequencer, store and follower, on a
 * simulated database, network and clock that fail in every way they can. The database is one server, or a cluster of
 * nodes that all take writes. A run is a seed; the ordinary test takes the same seeds every time. BERTH_SIM_SEEDS asks
 * for more of them, BERTH_SIM_SEED says where to begin.
 */
import { describe, expect, test } from 'vitest'
import { ENCOUNTERS, type Encounter, MODELS, type Model } from './protocol/database.ts'
import { MUTATIONS, type Mutation } from './protocol/mutations.ts'
import { type Run, simulate } from './protocol/run.ts'

const SEEDS = Number(process.env.BERTH_SIM_SEEDS ?? 1_500)
const FIRST_SEED = Number(process.env.BERTH_SIM_SEED ?? 1)
const MS_PER_RUN_MAX = 600

/** So many seeds are enough to find any of the mutations. */
const SEEDS_PER_MUTATION = 1_000

const complaint = (model: Model, { seed, violations }: Run) =>
  `seed ${seed}: ${violations[0]} (node_modules/.bin/node sim/protocol-replay.ts ${model} ${seed})`

describe.each(MODELS)('%s', model => {
  test(
    `${SEEDS} runs full of faults: no promise is broken, and every fault was met`,
    async () => {
      const met = new Set<Encounter>()
      const complaints: string[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        const run = await simulate(seed, { model })
        for (const one of run.met) met.add(one)
        if (run.violations.length > 0) complaints.push(complaint(model, run))
      }
      expect(complaints).toEqual([])
      if (SEEDS >= 1_000) expect(ENCOUNTERS[model].filter(one => !met.has(one))).toEqual([])
    },
    60_000 + SEEDS * MS_PER_RUN_MAX,
  )

  test('a seed gives the same run every time', async () => {
    const tell = async (seed: number) => {
      const lines: string[] = []
      await simulate(seed, { model, say: line => lines.push(line) })
      return lines
    }
    for (const seed of [1, 2, 3, 4, 5]) expect(await tell(seed)).toEqual(await tell(seed))
  })

  describe('a mistake in the protocol is found', () => {
    const findFirst = async (mutation: Mutation): Promise<Run | null> => {
      for (let seed = 1; seed <= SEEDS_PER_MUTATION; seed++) {
        const run = await simulate(seed, { model, mutation })
        if (run.violations.length > 0) return run
      }
      return null
    }

    test.each(MUTATIONS[model] as readonly Mutation[])('%s', async mutation => {
      expect((await findFirst(mutation))?.violations[0]).toEqual(expect.any(String))
    })
  })
})

test.each(['skip-fence', 'release-is-rollback'] as const)(
  'single: the one lock of a server proves by itself what a cluster needs more for: %s breaks nothing',
  async mutation => {
    for (let seed = 1; seed <= 300; seed++)
      expect((await simulate(seed, { model: 'single', mutation })).violations).toEqual([])
  },
)
