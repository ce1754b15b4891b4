/**
 * Builds dist/ from src/ if anything it is made from is newer; with --force in any case. It is a bundle: what a
 * start needs is a few files instead of some hundred, which halves the time it takes. Types are for `npm run check`.
 */
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const otherInputs = ['package.json', 'package-lock.json', 'scripts/build-if-needed.ts']

const startedAt = new Date()
if (process.argv.includes('--force') || isStale()) await build()

function isStale(): boolean {
  if (!existsSync(stamp)) return true
  const builtAtMs = statSync(stamp).mtimeMs
  const sources = filesIn(src)
  // A file that was removed leaves its trace in its directory.
  const inputs = [...sources, ...sources.map(dirname), ...otherInputs.map(file => join(root, file))]
  return inputs.some(file => statSync(file).mtimeMs > builtAtMs)
}

async function build(): Promise<void> {
  const { rolldown } = await import('rolldown').catch(() => fail('the bundler is missing: run npm ci'))
  const bundle = await rolldown({
    // The worker has a file of its own, beside whichever file starts it.
    input: { main: join(src, 'main.ts'), worker: join(src, 'store/sqlite/worker.ts') },
    platform: 'node',
    external: /^node:/,
  }).catch(error => fail(String(error)))
  const written = await bundle
    .write({
      dir: dist,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      sourcemap: true,
    })
    .catch(error => fail(String(error)))
  removeOthers(new Set(written.output.map(file => file.fileName)))
  writeFileSync(stamp, '')
  // A file saved while it ran must count as newer.
  utimesSync(stamp, startedAt, startedAt)
}

function removeOthers(made: ReadonlySet<string>): void {
  for (const name of readdirSync(dist))
    if (!made.has(name) && !made.has(name.replace(/\.map$/, '')))
      rmSync(join(dist, name), { recursive: true })
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function fail(reason: string): never {
  console.error(`build: ${reason}`)
  process.exit(1)
}
