/** Writes the manual pages into a directory: node packaging/man/write.ts DIRECTORY. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manualPages } from './pages.ts'

const [directory] = process.argv.slice(2)
if (directory === undefined) {
  console.error('usage: node packaging/man/write.ts DIRECTORY')
  process.exit(64)
}
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
for (const [name, text] of await manualPages(version)) {
  const folder = join(directory, `man${name.at(-1)}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `${text}\n`)
}
