/** The repository's own rules, as functions from files to violations. Every violation starts with a file name. */
import { posix } from 'node:path'

/** Path from the root of the repository, and text. */
export type Files = ReadonlyMap<string, string>

export const LINES_PER_FILE_MAX = 500
export const LINES_PER_FUNCTION_MAX = 80

const isSource = (path: string): boolean => path.startsWith('src/') && path.endsWith('.ts')
const isTest = (path: string): boolean => /\.(test|contract|fixture)\.ts$/.test(path)

/** The console is measured as the server is; what it may import is for its bundler to find. */
const isMeasured = (path: string): boolean =>
  isSource(path) || (path.startsWith('console/src/') && /\.tsx?$/.test(path))

function measured(files: Files): [path: string, text: string][] {
  return [...files].filter(([path]) => isMeasured(path) && !isTest(path))
}

function sources(files: Files): [path: string, text: string][] {
  return [...files].filter(([path]) => isSource(path) && !isTest(path))
}

/** What a file imports: paths in the repository, `node:` modules and packages. */
export function importsOf(path: string, text: string): string[] {
  const pattern = /\bfrom\s+'([^']+)'|\bimport\s+'([^']+)'|\bimport\(\s*'([^']+)'/g
  const found = [...withoutComments(text).matchAll(pattern)].map(
    match => (match[1] ?? match[2] ?? match[3]) as string,
  )
  return found.map(name => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** The part of the house that an import leads to: a folder or file of src, `node:`, or `package`. */
function roomOf(imported: string): string {
  if (imported.startsWith('node:')) return 'node:'
  if (!imported.startsWith('src/')) return 'package'
  return (imported.split('/')[1] as string).replace(/\.ts$/, '')
}

const only =
  (...rooms: string[]) =>
  (room: string) =>
    rooms.includes(room)
const never =
  (...rooms: string[]) =>
  (room: string) =>
    !rooms.includes(room)

/** kernel ← world ← rules ← routes ← http/app ← main. What each room may import: */
const mayImport: Readonly<Record<string, (room: string) => boolean>> = {
  kernel: only('kernel'),
  world: only('kernel', 'world'),
  store: only('kernel', 'world', 'store', 'node:', 'package'),
  // The names of filters and weighers, and what is set unless an operator says otherwise, are told once: there.
  config: only('kernel', 'scheduling', 'config', 'node:'),
  placement: never('catalog', 'compute', 'shares', 'config', 'cli', 'server', 'main'),
  catalog: never('compute', 'shares', 'config', 'cli', 'server', 'main'),
  compute: never('catalog', 'shares', 'config', 'v1', 'cli', 'server', 'main'),
  shares: never('catalog', 'compute', 'config', 'v1', 'cli', 'server', 'main'),
  scheduling: only('kernel', 'world', 'placement', 'scheduling'),
  // An export has what all services hold.
  transfer: never('store', 'config', 'v1', 'cli', 'server', 'main'),
  identity: never('placement', 'catalog', 'compute', 'shares', 'cli', 'server', 'main'),
  // identity builds on http, never the other way: http declares what it needs of it (Authenticator, Policy).
  http: never('identity', 'placement', 'catalog', 'compute', 'shares', 'v1', 'cli', 'server', 'main'),
  v1: never('cli', 'server', 'main'),
  client: only('client', 'kernel', 'node:'),
  demo: only('kernel', 'world', 'placement', 'compute', 'shares', 'store', 'demo', 'node:'),
  commands: only('world', 'placement', 'catalog', 'compute', 'shares', 'scheduling', 'identity', 'transfer'),
  server: never('cli', 'main'),
  cli: never('main'),
  main: () => true,
}

export function wrongDirections(files: Files): string[] {
  return sources(files).flatMap(([path, text]) => {
    const room = roomOf(path)
    const allowed = mayImport[room]
    if (allowed === undefined) return [`${path}: no rule says what src/${room} may import; add one`]
    return importsOf(path, text)
      .filter(imported => !allowed(roomOf(imported)))
      .map(imported => `${path}: src/${room} must not import ${imported}`)
  })
}

/** In a room, `name.ts` holds rules; `name.routes.ts`, `name.schemas.ts` and the like stand at the door. */
const isRule = (path: string): boolean =>
  /^src\/((placement|catalog|compute|shares)\/[^/]+|scheduling(\/[^/]+)*|identity\/rules|transfer)\/[^/.]+\.ts$/.test(
    path,
  )

const BEYOND_RULES = new Set(['http', 'store', 'identity', 'node:', 'package'])
const isBeyond = (imported: string): boolean =>
  BEYOND_RULES.has(roomOf(imported)) && !imported.startsWith('src/identity/rules/')

/** Rules reach neither http/, store/, packages nor Node, not even through a file that does. */
export function impureRules(files: Files): string[] {
  return sources(files).flatMap(([path]) =>
    isRule(path)
      ? crossings(path, files).map(
          ([through, beyond]) =>
            `${path}: a rule must not import ${beyond}${through === path ? '' : ` (through ${through})`}`,
        )
      : [],
  )
}

/** Every import that leads from a file, or from what it imports, beyond where rules may look. */
function crossings(start: string, files: Files): [through: string, beyond: string][] {
  const found: [string, string][] = []
  const seen = new Set([start])
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const imported of importsOf(path, files.get(path) ?? '')) {
      if (isBeyond(imported)) found.push([path, imported])
      else if (!seen.has(imported)) open.push(imported)
      seen.add(imported)
    }
  return found
}

export function processTouches(files: Files): string[] {
  return sources(files)
    .filter(([path]) => path !== 'src/main.ts')
    .flatMap(([path, text]) => {
      const code = withoutComments(text).replace(/'(\\.|[^'\\\n])*'|"(\\.|[^"\\\n])*"/g, "''")
      // Its own number is no more than a fact to write down.
      const touched =
        /\bprocess\s*(?!\.pid\b)[.[]|\bprocess\s*[,;)}]/.test(code) || text.includes("'node:process'")
      return touched ? [`${path}: only src/main.ts touches process`] : []
    })
}

const DRAWERS = /^(utils?|helpers?|common|misc|types?)$/
const KEBAB_CASE = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/
const FIXED_NAMES = new Set(['README.md', 'LICENSE', 'CHANGELOG.md'])

export function badNames(files: Files): string[] {
  return [...files.keys()].flatMap(path =>
    path.split('/').flatMap(part => {
      if (FIXED_NAMES.has(part)) return []
      if (DRAWERS.test(part.split('.')[0] as string)) return [`${path}: '${part}' does not say what it holds`]
      return KEBAB_CASE.test(part) ? [] : [`${path}: '${part}' is not kebab-case`]
    }),
  )
}

export function longFiles(files: Files): string[] {
  return measured(files).flatMap(([path, text]) => {
    const lines = text.trimEnd().split('\n').length
    return lines > LINES_PER_FILE_MAX
      ? [`${path}: ${lines} lines; at ${LINES_PER_FILE_MAX} a file is asking to be two`]
      : []
  })
}

/** The formatter closes a body at the indentation of the line that opened it. */
export function longFunctions(files: Files): string[] {
  return measured(files).flatMap(([path, text]) => {
    const lines = text.split('\n')
    return lines.flatMap((line, at) => {
      if (!opensFunction(line)) return []
      const indent = /^ */.exec(line)?.[0] as string
      const close = lines.findIndex((later, i) => i > at && later.startsWith(`${indent}}`))
      const length = close - at + 1
      return length > LINES_PER_FUNCTION_MAX
        ? [
            `${path}:${at + 1}: a function of ${length} lines; at ${LINES_PER_FUNCTION_MAX} it is asking to be two`,
          ]
        : []
    })
  })
}

/** A function, a method, or the last line of their head when that takes several. */
function opensFunction(line: string): boolean {
  if (!line.endsWith('{')) return false
  if (
    /^\s*(if|for|while|switch|else|try|catch|do|\}|(export )?(abstract )?(class|interface|enum))\b/.test(line)
  )
    return false
  return (
    /\bfunction\b|=>\s*\{$|\)(: [^=]+)? \{$/.test(line) && !/^\s*\} (else|catch|finally|while)/.test(line)
  )
}

// Put together, so that this file does not find itself.
const UNFINISHED = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`)

export function unfinished(files: Files): string[] {
  return [...files].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, at) => (UNFINISHED.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
}

/** Dependencies that no source uses, and packages that sources use without saying so. */
export function dependencyDrift(files: Files): string[] {
  const { dependencies = {} } = JSON.parse(files.get('package.json') ?? '{}')
  const declared = Object.keys(dependencies)
  const used = new Map<string, string>()
  for (const [path, text] of sources(files))
    for (const imported of importsOf(path, text))
      if (roomOf(imported) === 'package') used.set(packageOf(imported), path)
  return [
    ...declared.filter(name => !used.has(name)).map(name => `package.json: nothing in src uses ${name}`),
    ...[...used]
      .filter(([name]) => !declared.includes(name))
      .map(([name, path]) => `${path}: ${name} is no dependency in package.json`),
  ]
}

const packageOf = (imported: string): string =>
  imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/')

/** Links between pages that lead nowhere. */
export function brokenLinks(files: Files): string[] {
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
        const [file] = (target as string).split('#')
        if (file === '' || file === undefined || /^[a-z]+:/.test(file)) return []
        const led = posix.join(posix.dirname(path), file).replace(/\/$/, '')
        const exists = files.has(led) || [...files.keys()].some(known => known.startsWith(`${led}/`))
        return exists ? [] : [`${path}: the link to ${target} leads nowhere`]
      }),
    )
}
