/**
 * Builds dist/ from src/ if anything it is made from is newer; with --force in any case.
 * tsc leaves out what is not TypeScript and never removes what lost its source, so both are done here.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const otherInputs = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']

const startedAt = new Date()
const sources = filesIn(src)
if (process.argv.includes('--force') || isStale()) build()

function isStale(): boolean {
  if (!existsSync(stamp)) return true
  const builtAtMs = statSync(stamp).mtimeMs
  // A file that was removed leaves its trace in its directory.
  const inputs = [
    ...sources.map(file => join(src, file)),
    ...directoriesOf(sources),
    ...otherInputs.map(file => join(root, file)),
  ]
  return inputs.some(file => statSync(file).mtimeMs > builtAtMs)
}

function build(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  if (!existsSync(tsc)) fail('the TypeScript compiler is missing: run npm ci')
  const { status, error } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (error !== undefined) fail(error.message)
  if (status !== 0) fail('the build failed')
  copyAssets()
  removeStrays()
  writeFileSync(stamp, '')
  // A file saved while tsc ran must count as newer.
  utimesSync(stamp, startedAt, startedAt)
}

function copyAssets(): void {
  for (const file of sources.filter(file => !file.endsWith('.ts'))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(src, file), join(dist, file))
  }
}

function removeStrays(): void {
  const known = new Set(sources)
  for (const file of filesIn(dist)) {
    const source = file.replace(/\.js(\.map)?$/, '.ts')
    if (!known.has(source) && !known.has(file)) rmSync(join(dist, file))
  }
}

/** Paths of all files, relative to the directory. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
}

function directoriesOf(files: readonly string[]): string[] {
  return [...new Set(files.map(file => dirname(join(src, file))))]
}

function fail(reason: string): never {
  console.error(`build: ${reason}`)
  process.exit(1)
}
