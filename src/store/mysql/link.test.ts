import { expect, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { type Batch, type Head, StoreDiverged, StoreRejected } from '../store.ts'
import type { Server } from './connect.ts'
import { OUT_OF_RANGE, ServerError } from './failure.ts'
import { MysqlLink } from './link.ts'
import type { Answer, Session } from './session.ts'

const HEAD: Head = { revision: 7, chain: 'a' }
const KEEP_ALL = { changesAgeMsMax: 1e12, changesCountMax: 1e6 }

const batch: Batch = {
  id: 'one',
  atMs: 1,
  changes: [{ change: { ops: [insert('traits', { id: 1, name: 'CUSTOM_A', updated_at: 1 })] }, names: {} }],
}

interface Script {
  /** The first statement of a commit that contains this text fails; with a plus in front, the one after it. */
  readonly failsAt: string
  readonly error: ServerError | LinkLost
  /** Whether the transaction is still the one that took the turn. */
  readonly isSame?: boolean
}

/** A link in a turn at a node of Galera, and the texts it sent. */
async function beginTurn({ failsAt, error, isSame = true }: Script) {
  const texts: (readonly string[])[] = []
  const answerOne = (statement: string): Answer => {
    if (statement.includes('FOR UPDATE')) return { ok: true, rows: [[HEAD.revision, HEAD.chain, 'last', 1]] }
    if (statement.includes('AS always')) return { ok: true, rows: [[1, 8, null, ...Array(6).fill(null), 0]] }
    return { ok: true, rows: [[isSame ? 1 : 0]] }
  }
  const ask = async (statements: readonly string[]): Promise<readonly Answer[]> => {
    texts.push(statements)
    const named = statements.findIndex(one => one.includes(failsAt.replace('+', '')))
    const failedAt = named >= 0 && failsAt.startsWith('+') ? named + 1 : named
    return statements.map((one, at) =>
      failedAt < 0 || at < failedAt ? answerOne(one) : { ok: false, error },
    )
  }
  const session = { ask, where: 'there', isLost: false, close: async () => undefined } as unknown as Session
  const server: Server = { session, flavor: 'mariadb', isGalera: true, rank: 0, flushAtCommit: 1 }
  const link = new MysqlLink(server, { answerMsMax: 1_000, frozenMsMax: 1_000 }, 1, () => false)
  await link.begin(HEAD.revision)
  texts.length = 0
  return { commit: () => link.commit(HEAD, batch, KEEP_ALL), texts }
}

const outOfRange = new ServerError(OUT_OF_RANGE, '22003', 'out of range')
const duplicate = new ServerError(1062, '23000', 'duplicate key')
const deadlock = new ServerError(1213, '40001', 'deadlock')

test('Galera: the COMMIT travels alone, after the guard of the statements was answered', async () => {
  const { commit, texts } = await beginTurn({ failsAt: 'nothing', error: deadlock })
  await commit()
  expect(texts).toHaveLength(2)
  expect(texts[0]).not.toContain('COMMIT')
  expect(texts[1]).toEqual(['COMMIT'])
})

test.each([
  ['a guard of rows', '+SET revision = 8', outOfRange, StoreDiverged],
  ['a duplicate key', 'INSERT INTO `traits`', duplicate, StoreRejected],
])('Galera: %s that fails in the transaction of the turn is a verdict', async (_, failsAt, error, Kind) => {
  const { commit } = await beginTurn({ failsAt, error })
  await expect(commit()).rejects.toBeInstanceOf(Kind)
})

test.each([
  ['a guard of rows', '+SET revision = 8', outOfRange],
  ['a duplicate key', 'INSERT INTO `traits`', duplicate],
])(
  'Galera: %s that fails after the node has gone on in another transaction is a turn to retry',
  async (_, failsAt, error) => {
    const { commit, texts } = await beginTurn({ failsAt, error, isSame: false })
    await expect(commit()).rejects.toBeInstanceOf(TurnAborted)
    expect(texts.at(-1)).toEqual(['ROLLBACK'])
  },
)

test('Galera: a COMMIT that lost against another is a turn to retry; one without an answer is unknown', async () => {
  const lost = await beginTurn({ failsAt: 'COMMIT', error: deadlock })
  await expect(lost.commit()).rejects.toBeInstanceOf(TurnAborted)
  const silent = await beginTurn({ failsAt: 'COMMIT', error: new LinkLost('cut') })
  await expect(silent.commit()).rejects.toBeInstanceOf(LinkLost)
})
