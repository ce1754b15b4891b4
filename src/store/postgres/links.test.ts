import { describe, expect, onTestFinished, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../test/postgres.ts'
import { insert } from '../../world/change.ts'
import type { AnyRow } from '../../world/table.ts'
import { LinkLost } from '../shared/link.ts'
import { type Snapshot, StoreUnavailable } from '../store.ts'
import type { StoredName } from '../tables/described-tables.ts'
import { freshLinks, inserted, nowhere, trait, write } from './fresh-database.fixture.ts'
import { openPostgresLinks } from './open.ts'

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    reason => reason as Error,
  )

async function pagesOf(snapshot: Snapshot, table: StoredName, rowsMax?: number): Promise<AnyRow[][]> {
  const pages: AnyRow[][] = []
  for await (const page of snapshot.rows(table, rowsMax)) pages.push([...page])
  return pages
}

const idsIn = async (snapshot: Snapshot, rowsMax?: number) =>
  (await pagesOf(snapshot, 'traits', rowsMax)).map(page => page.map(row => row.id))

describe('a snapshot', () => {
  test('shows one head in pages while others write, and several walks run side by side', async () => {
    const { link, links } = await freshLinks()
    const head = await write(link, inserted(1, 2, 3, 4, 5))
    const snapshot = await links.snapshot()
    await write(link, inserted(6))
    expect(snapshot.head).toEqual(head)
    expect(await Promise.all([idsIn(snapshot, 2), idsIn(snapshot)])).toEqual([
      [[1, 2], [3, 4], [5]],
      [[1, 2, 3, 4, 5]],
    ])
    await snapshot.close()
  })

  test('gives every text back, also what PostgreSQL has no texts for', async () => {
    const { link, links } = await freshLinks()
    const texts = ['\0', '\uFFFF', '\uFFFF0\0', '"\\\'{},NULL', '\u{1F6A2}\n\t', 'NULL']
    await write(
      link,
      texts.map((text, id) => insert('traits', trait(id, text))),
    )
    const snapshot = await links.snapshot()
    const [page = []] = await pagesOf(snapshot, 'traits')
    expect(page.map(row => row.name)).toEqual(texts)
    await snapshot.close()
  })

  test('of changes and plain rows has pages that end when they are large', async () => {
    const { link, links, database } = await freshLinks()
    for (let id = 1; id <= 4; id++) await write(link, inserted(id))
    await database.query("UPDATE changes SET ops = repeat('x', 5000000) WHERE revision <> 4")
    const snapshot = await links.snapshot()
    const pages = await pagesOf(snapshot, 'changes')
    expect(pages.map(page => page.map(row => row.revision))).toEqual([
      [1, 2],
      [3, 4],
    ])
    await snapshot.close()
  })

  test('waits for a place, and is unavailable when there is none for long', async () => {
    const { links } = await freshLinks({ connectionsMax: 4, answerMsMax: 500 })
    const [first, second] = [await links.snapshot(), await links.snapshot()]
    expect(await failure(links.snapshot())).toEqual(
      new StoreUnavailable('all 2 connections for loads and exports are in use'),
    )
    const waiting = links.snapshot()
    await first?.close()
    await first?.close()
    await (await waiting).close()
    await second?.close()
    const again = await Promise.all([links.snapshot(), links.snapshot()])
    await Promise.all(again.map(snapshot => snapshot.close()))
  })

  test('that loses its connection is unavailable, and its place is free again', async () => {
    const { links, link, database } = await freshLinks({ connectionsMax: 4 })
    await write(link, inserted(1))
    const snapshot = await links.snapshot()
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    expect(await failure(idsIn(snapshot))).toBeInstanceOf(StoreUnavailable)
    await snapshot.close()
    await (await links.snapshot()).close()
  })

  test('ends with the links', async () => {
    const { links } = await freshLinks()
    const snapshot = await links.snapshot()
    await links.close()
    expect(await failure(idsIn(snapshot))).toBeInstanceOf(StoreUnavailable)
    expect(await failure(links.snapshot())).toBeInstanceOf(StoreUnavailable)
  })
})

describe('with several servers', () => {
  async function pair(): Promise<{ primary: Postgres; standby: Postgres; url: string }> {
    const primary = await startPostgres({ settings: { synchronous_standby_names: "'second'" } })
    onTestFinished(() => primary.remove())
    await primary.configure({ synchronous_standby_names: "''" })
    const database = new URL(await primary.newDatabase()).pathname
    const standby = await primary.standby('second')
    onTestFinished(() => standby.remove())
    await primary.configure({ synchronous_standby_names: "'second'" })
    const url = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}${database}`
    return { primary, standby, url }
  }

  test('the server that accepts writes is used, and after a failover the other, with all commits', async () => {
    const { primary, standby, url } = await pair()
    const links = await openPostgresLinks(url, { ...nowhere, answerMsMax: 5_000 })
    onTestFinished(() => links.close())
    const link = await links.connect()
    const head = await write(link, inserted(1))
    await primary.kill9()
    expect(await failure(link.head())).toBeInstanceOf(LinkLost)
    const away = await failure(links.connect())
    expect(away).toBeInstanceOf(StoreUnavailable)
    expect(away?.message).toBe(
      `no PostgreSQL can be used: 127.0.0.1:${standby.port}: it is a standby; 127.0.0.1:${primary.port}: no server listens there`,
    )
    await standby.promote()
    const again = await links.connect()
    expect(await again.head()).toEqual(head)
    expect((await write(again, inserted(2))).revision).toBe(2)
    await again.close()
  })
})
