/**
 * Builds dist/ from src/ and dist/console from console/ if a source is newer; with --force in any
 * case. The server is a bundle: a start reads a few files instead of some hundred, which halves its
 * time. `npm run check` checks the types.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { RolldownPluginOption } from 'rolldown'
import { noteBundledPackages } from './bundled-licenses.ts'
import { lightBuiltins, OTHER_BUILTINS } from './light-builtins.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const dist = join(root, 'dist')
const otherInputs = [
  'package.json',
  'package-lock.json',
  'scripts/build-if-needed.ts',
  'scripts/bundled-licenses.ts',
  'scripts/light-builtins.ts',
]
const LICENSES = 'licenses.txt'

interface Output {
  readonly stamp: string
  readonly inputs: readonly string[]
  build(): Promise<void>
}

const server: Output = { stamp: '.built', inputs: ['src', ...otherInputs], build: buildServer }
const pages: Output = {
  stamp: '.built-console',
  inputs: ['console/src', 'console/public', 'console/index.html', 'console/vite.config.ts', ...otherInputs],
  build: buildConsole,
}

for (const output of [server, pages]) {
  const startedAt = new Date()
  if (!process.argv.includes('--force') && !isStale(output)) continue
  await output.build()
  const stamp = join(dist, output.stamp)
  writeFileSync(stamp, '')
  // A file saved while it ran must count as newer.
  utimesSync(stamp, startedAt, startedAt)
}

function isStale({ stamp, inputs }: Output): boolean {
  if (!existsSync(join(dist, stamp))) return true
  const builtAtMs = statSync(join(dist, stamp)).mtimeMs
  const files = inputs.flatMap(input => filesIn(join(root, input)))
  // A removed file changes its directory.
  const folders = files.map(dirname).filter(folder => join(folder, '/') !== root)
  return [...files, ...folders].some(file => statSync(file).mtimeMs > builtAtMs)
}

async function buildServer(): Promise<void> {
  const packages = noteBundledPackages(root)
  const files = [
    ...(await bundleServer('main', 'main.ts', packages.plugin)),
    // A thread of its own. It starts in half the time if nothing it loads is shared with the other.
    ...(await bundleServer('worker', 'store/sqlite/worker.ts', packages.plugin)),
  ]
  writeFileSync(join(dist, LICENSES), packages.licenses())
  removeOthers(new Set([LICENSES, ...files]))
}

/** One entry and what it loads on demand; returns the names of the files. */
async function bundleServer(name: string, source: string, note: RolldownPluginOption): Promise<string[]> {
  const { rolldown } = await import('rolldown').catch(() => fail('the bundler is missing: run npm ci'))
  const bundle = await rolldown({
    plugins: [lightBuiltins, note],
    input: { [name]: join(src, source) },
    platform: 'node',
    external: OTHER_BUILTINS,
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
  return written.output.map(file => file.fileName)
}

async function buildConsole(): Promise<void> {
  const { build } = await import('vite').catch(() =>
    fail('the bundler of the console is missing: run npm ci'),
  )
  const packages = noteBundledPackages(join(root, 'console'))
  await build({
    configFile: join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    plugins: [packages.plugin],
  }).catch(error => fail(String(error)))
  writeFileSync(join(dist, 'console', LICENSES), packages.licenses())
  // Compressed once, at the highest level, rather than at each request.
  for (const file of filesIn(join(dist, 'console')))
    if (/\.(js|css|svg)$/.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
}

function removeOthers(made: ReadonlySet<string>): void {
  const kept = new Set([...made, 'console', pages.stamp])
  for (const name of readdirSync(dist))
    if (!kept.has(name) && !kept.has(name.replace(/\.map$/, '')))
      rmSync(join(dist, name), { recursive: true })
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function fail(reason: string): never {
  console.error(`build: ${reason}`)
  process.exit(1)
}
