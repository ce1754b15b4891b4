import { expect, onTestFinished, test } from 'vitest'
import { batchOf, inserted, keepAll, nowhere } from '../src/store/postgres/fresh-database.fixture.ts'
import { openPostgresLinks } from '../src/store/postgres/open.ts'
import type { Link } from '../src/store/shared/link.ts'
import { startPostgres } from '../test/postgres.ts'

/** Commits one trait after the other until something fails; those that were acknowledged. */
async function writeOn(link: Link, first: number): Promise<number[]> {
  const acknowledged: number[] = []
  try {
    for (let id = first; ; id++) {
      const { head } = await link.begin(id - 1)
      await link.commit(head, batchOf(inserted(id)), keepAll)
      acknowledged.push(id)
    }
  } catch {
    return acknowledged
  }
}

test('what was acknowledged is there after a server was killed in the midst of writing', async () => {
  const postgres = await startPostgres({ durable: true })
  onTestFinished(() => postgres.remove())
  const url = await postgres.newDatabase()
  const links = await openPostgresLinks(url, nowhere)
  onTestFinished(() => links.close())
  let next = 1
  for (let round = 0; round < 3; round++) {
    const link = await links.connect()
    const writing = writeOn(link, next)
    await new Promise(resolve => setTimeout(resolve, 150))
    await postgres.kill9()
    const acknowledged = await writing
    expect(acknowledged.length).toBeGreaterThan(0)
    await postgres.start()
    const again = await links.connect()
    const head = await again.head()
    // One more may have been committed whose acknowledgement was lost.
    expect(head.revision - (acknowledged.at(-1) as number)).toBeLessThanOrEqual(1)
    expect(head.revision).toBeGreaterThanOrEqual(acknowledged.at(-1) as number)
    const history = await again.changesAfter(next - 1, 1_000_000)
    const changes = history.kept ? history.changes : []
    expect(changes.map(({ change }) => change.ops)).toEqual(changes.map((_, at) => inserted(next + at)))
    expect(changes.at(-1)).toMatchObject(head)
    next = head.revision + 1
    await again.close()
  }
})
