/** Writes the pages of docs/reference that are made from the code. `--check` only says whether they are current. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configurationReference } from '../src/config/reference.ts'

const root = new URL('..', import.meta.url)

/** Path of each page from the root of the repository, and its text. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/configuration.md': configurationReference,
}

export function textOnDisk(path: string): string | null {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return null
  }
}

if (import.meta.main) {
  const stale = Object.entries(pages).filter(([path, text]) => textOnDisk(path) !== text())
  for (const [path, text] of stale) {
    console.log(path)
    if (process.argv.includes('--check')) process.exitCode = 1
    else {
      const file = fileURLToPath(new URL(path, root))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text())
    }
  }
}
