/** The stories for each Manila: with its own filters of hints, and with Berth. A story returns its result in a few words. */
import { backendOf, type Manila } from './manila.ts'

export interface Story {
  readonly name: string
  /** The result that the document demands. */
  readonly wants: string
  /** Only the scheduler driver promises it. */
  readonly needsDriver?: true
  run(manila: Manila): Promise<string>
}

const NOBODY = '00000000-0000-4000-8000-00000000dead'
const MANY = 60
const BATCH = 5
const CHAINS = 12
const CHAIN_ROUNDS = 2
const NAMING_AT_ONCE = 12
const MOVES_AT_ONCE = 2

const ON_ALPHA = 'farm@alpha#a1'
const ON_ALPHA_TOO = 'farm@alpha#a2'
const ON_BETA = 'farm@beta#b1'
const ON_GAMMA = 'farm@gamma#c1'

const say = (pool: string): string => (pool.includes('#') ? (pool.split('@')[1] as string) : pool)

export const STORIES: readonly Story[] = [
  {
    name: 'same_host: B is with A',
    wants: 'same',
    async run(manila) {
      const a = await manila.create({}, 'on-beta')
      const b = await manila.create({ same_host: a.id })
      return backendOf(a.place) === backendOf(b.place) ? 'same' : say(b.place)
    },
  },
  {
    name: 'different_host: C is away from A',
    wants: 'different',
    async run(manila) {
      const a = await manila.create({}, 'on-beta')
      const c = await manila.create({ different_host: a.id })
      return c.place !== 'error' && backendOf(a.place) !== backendOf(c.place) ? 'different' : say(c.place)
    },
  },
  {
    name: 'pools of one host: away from A in a1, only a1 and a2 fit',
    wants: 'error',
    async run(manila) {
      const a = await manila.create({}, 'on-a1')
      return say((await manila.create({ different_host: a.id }, 'on-alpha')).place)
    },
  },
  {
    name: 'pools of one host: with A in a1, only a2 fits',
    wants: 'alpha#a2',
    async run(manila) {
      const a = await manila.create({}, 'on-a1')
      return say((await manila.create({ same_host: a.id }, 'on-a2')).place)
    },
  },
  {
    name: 'hints as lists, both at once',
    wants: '200, gamma#c1',
    async run(manila) {
      const [a, b, c] = [
        await manila.create({}, 'on-alpha'),
        await manila.create({}, 'on-beta'),
        await manila.create({}, 'on-gamma'),
      ]
      const { status, json } = await manila.tryCreate({ different_host: [a.id, b.id], same_host: [c.id] })
      return status === 200 ? `200, ${say(await manila.settle(json.share.id))}` : String(status)
    },
  },
  {
    name: 'all or nothing: a good uuid and one without a share',
    wants: '404, 0 shares more, 0 hints more',
    async run(manila) {
      const a = await manila.create()
      const before = await manila.countShares()
      const { status } = await manila.tryCreate({ same_host: a.id, different_host: NOBODY })
      const more = (await manila.countShares()) - before
      const hints = await manila.listHint(a.id, 'same_host')
      return `${status}, ${more} shares more, ${hints.length} hints more`
    },
  },
  {
    name: 'with two shares on two hosts',
    wants: 'error',
    async run(manila) {
      const [a, b] = [await manila.create({}, 'on-alpha'), await manila.create({}, 'on-beta')]
      return say((await manila.create({ same_host: `${a.id},${b.id}` })).place)
    },
  },
  {
    name: 'away from a share on each host',
    wants: 'error',
    async run(manila) {
      const ids: string[] = []
      for (const type of ['on-alpha', 'on-beta', 'on-gamma']) ids.push((await manila.create({}, type)).id)
      return say((await manila.create({ different_host: ids.join(',') })).place)
    },
  },
  {
    name: `${NAMING_AT_ONCE} creates at once name one share: mirrors that it keeps`,
    wants: String(NAMING_AT_ONCE),
    async run(manila) {
      const a = await manila.create()
      const named = Array.from({ length: NAMING_AT_ONCE }, () => manila.begin({ same_host: a.id }))
      await Promise.all(named)
      return String((await manila.listHint(a.id, 'same_host')).length)
    },
  },
  {
    name: `${CHAINS * CHAIN_ROUNDS} pairs at once, the second away from the first: pairs on one host`,
    wants: '0',
    async run(manila) {
      let together = 0
      for (let round = 0; round < CHAIN_ROUNDS; round++) {
        const chains = Array.from({ length: CHAINS }, async () => {
          const first = await manila.begin()
          return [first, await manila.begin({ different_host: first })] as const
        })
        const pairs = await Promise.all(chains)
        const places = await manila.settleAll(pairs.flat())
        for (const at of pairs.keys()) {
          const [one, other] = [places[2 * at] as string, places[2 * at + 1] as string]
          if (one !== 'error' && backendOf(one) === backendOf(other)) together++
        }
      }
      return String(together)
    },
  },
  {
    name: 'move to the host of a share that it is away from; to another pool of it',
    wants: 'migration_error, migration_error',
    async run(manila) {
      const a = await manila.create({}, 'on-a1')
      const b = await manila.create({ different_host: a.id }, 'on-beta')
      const type = { new_share_type_id: await findType(manila, 'default') }
      return `${await manila.move(b.id, ON_ALPHA, type)}, ${await manila.move(b.id, ON_ALPHA_TOO, type)}`
    },
  },
  {
    name: 'the same move with "force": true, and one that keeps the hint',
    wants: 'migration_success, migration_success',
    async run(manila) {
      const a = await manila.create({}, 'on-a1')
      const [b, c] = [
        await manila.create({ different_host: a.id }, 'on-beta'),
        await manila.create({ different_host: a.id }, 'on-beta'),
      ]
      const type = { new_share_type_id: await findType(manila, 'default') }
      const forced = await manila.move(b.id, ON_ALPHA, { ...type, force: true })
      return `${forced}, ${await manila.move(c.id, ON_GAMMA, type)}`
    },
  },
  {
    name: `${MOVES_AT_ONCE} times, two shares that avoid each other move to one host at once: pairs on one host`,
    wants: '0',
    needsDriver: true,
    async run(manila) {
      let together = 0
      const type = { new_share_type_id: await findType(manila, 'default') }
      for (let round = 0; round < MOVES_AT_ONCE; round++) {
        const a = await manila.create({}, 'on-a1')
        const b = await manila.create({ different_host: a.id }, 'on-beta')
        await Promise.all([manila.move(a.id, ON_GAMMA, type), manila.move(b.id, ON_GAMMA, type)])
        const [one, other] = [await manila.settle(a.id), await manila.settle(b.id)]
        if (backendOf(one) === backendOf(other)) together++
      }
      return String(together)
    },
  },
  {
    name: 'a share is deleted: hints of the other that still name it',
    wants: '0',
    async run(manila) {
      const a = await manila.create()
      const b = await manila.create({ same_host: a.id })
      await manila.remove([b.id])
      return String((await manila.listHint(a.id, 'same_host')).length)
    },
  },
  {
    name: `${MANY} uuids, the last on beta, the others on alpha; then a move to beta`,
    wants: `gamma#c1, ${MANY} mirrors, migration_error`,
    async run(manila) {
      const begun: string[] = []
      while (begun.length < MANY) {
        const batch = Array.from({ length: BATCH }, () => manila.begin({}, 'on-alpha'))
        if (begun.length === 0) batch[0] = manila.begin({}, 'on-beta')
        begun.unshift(...(await Promise.all(batch)).reverse())
      }
      await manila.settleAll(begun)
      const { status, json } = await manila.tryCreate({ different_host: begun.join(',') })
      if (status !== 200) return String(status)
      const { id } = json.share
      const place = await manila.settle(id)
      let mirrors = 0
      for (const one of begun) if ((await manila.listHint(one, 'different_host')).includes(id)) mirrors++
      return `${say(place)}, ${mirrors} mirrors, ${await manila.move(id, ON_BETA)}`
    },
  },
]

async function findType(manila: Manila, name: string): Promise<string> {
  const { json } = await manila.ask('GET', '/types')
  return json.share_types.find((one: { readonly name: string }) => one.name === name).id
}
