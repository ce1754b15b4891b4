import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { loadWorld } from '../../src/store/load-world.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { type Head, StoreUnavailable } from '../../src/store/store.ts'
import { insert } from '../../src/world/change.ts'

/**
 * A store that writes what it reads from standard input: each line is a number, stored as a trait and answered by `stored N`,
 * `nothing N` (was changed) or `unknown N`. First it prints the stored ones.
 */

const [directory] = process.argv.slice(2) as [string]
const say = (line: string) => writeSync(1, `${line}\n`)

const store = await openSqlite({ directory, settleMsMax: 300 })
const { world, head } = await loadWorld(store)
say(`there ${JSON.stringify([...world.rows('traits')].map(row => row.id))}`)
let at: Head = head
for await (const line of createInterface({ input: process.stdin })) {
  const id = Number(line)
  const change = { ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })] }
  try {
    at = await store.write(at, () => ({ id: line, atMs: Date.now(), changes: [{ change, names: {} }] }))
    say(`stored ${id}`)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) {
      say(`unknown ${id}`)
      process.exit(70)
    }
    say(`nothing ${id}`)
  }
}
await store.close()
