import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Files } from './repo-rules.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = [
  '.ci',
  'bench',
  'bin',
  'conformance',
  'console',
  'docs',
  'e2e',
  'integrations',
  'packaging',
  'scripts',
  'sim',
  'src',
  'test',
]

/** Every file of the repository that is written by hand or generated into it. */
export function repositoryFiles(): Files {
  const inFolders = FOLDERS.filter(folder => statSync(join(root, folder), { throwIfNoEntry: false })).flatMap(
    folder =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !entry.parentPath.includes('node_modules'))
        .map(entry => join(entry.parentPath, entry.name).slice(root.length)),
  )
  const atRoot = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(md|ts|json)$|^LICENSE$/.test(entry.name))
    .map(entry => entry.name)
  return new Map([...inFolders, ...atRoot].map(path => [path, readFileSync(join(root, path), 'utf8')]))
}
