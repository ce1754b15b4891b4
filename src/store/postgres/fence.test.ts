import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../../test/postgres.ts'
import { LinkLost } from '../shared/link.ts'
import { nowhere } from './fresh-database.fixture.ts'
import { openPostgresLinks } from './open.ts'

test('what a fence stands behind has reached the synchronous standby; without one nothing is', async () => {
  const postgres = await startPostgres({})
  onTestFinished(() => postgres.remove())
  const links = await openPostgresLinks(await postgres.newDatabase(), { ...nowhere, answerMsMax: 500 })
  onTestFinished(() => links.close())
  const link = await links.connect()
  await link.begin(0)
  await link.fence()
  await postgres.configure({ synchronous_standby_names: "'nobody'" })
  const other = await links.connect()
  onTestFinished(() => other.close())
  await other.begin(0)
  await expect(other.fence()).rejects.toBeInstanceOf(LinkLost)
  await link.close()
})
