/** The repository's own rules, as functions from files to violations. Every violation starts with a file name. */
import { posix } from 'node:path'
import { EDGE_FILES, otherFolders, type Room, RULE_ROOMS, rooms, suffixes } from './rooms.ts'

/** Path from the root of the repository, and text. */
export type Files = ReadonlyMap<string, string>

export const LINES_PER_FILE_MAX = 400
export const LINES_PER_FUNCTION_MAX = 70

/** One list in one place: a reader would search in two. */
const LONG_TABLES: ReadonlySet<string> = new Set([
  'src/config/keys.ts',
  'src/identity/policy/operations.ts',
  'src/world/tables.ts',
])

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
function importsOf(path: string, text: string): string[] {
  const pattern = /\bfrom\s+'([^']+)'|\bimport\s+'([^']+)'|\bimport\(\s*'([^']+)'/g
  const found = [...withoutComments(text).matchAll(pattern)].map(
    match => (match[1] ?? match[2] ?? match[3]) as string,
  )
  return found.map(name => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** Where an import leads: a room below src (`http/request`), `node:` or `package`. */
function placeOf(imported: string): string {
  if (imported.startsWith('node:')) return 'node:'
  if (!imported.startsWith('src/')) return 'package'
  return imported.slice('src/'.length).replace(/\.ts$/, '')
}

/** The folder or file of src itself that an import leads to, `node:` or `package`. */
const roomOf = (imported: string): string => placeOf(imported).split('/')[0] as string

const isWithin = (place: string, room: string): boolean => place === room || place.startsWith(`${room}/`)

/** The innermost room around a file that says what it may import. */
function ruleFor(path: string): Room | undefined {
  return rooms
    .filter(room => room.mayImport !== undefined && isWithin(path, room.path))
    .sort((a, b) => b.path.length - a.path.length)[0]
}

export function wrongDirections(files: Files): string[] {
  return sources(files).flatMap(([path, text]) => {
    const room = ruleFor(path)
    if (room === undefined) return [`${path}: test/rooms.ts does not say what it may import; add its room`]
    const allowed = [placeOf(room.path), ...(room.mayImport ?? [])]
    return importsOf(path, text)
      .filter(imported => !allowed.some(one => isWithin(placeOf(imported), one)))
      .map(imported => `${path}: ${room.path} must not import ${imported}`)
  })
}

/** Folders without a line in test/rooms.ts, and lines without a folder. */
export function unlistedRooms(files: Files): string[] {
  const folders = new Set(
    [...files.keys()].filter(path => path.startsWith('src/')).flatMap(path => foldersAbove(path)),
  )
  const atRoot = new Set([...files.keys()].filter(path => path.includes('/')).map(path => path.split('/')[0]))
  const listed = new Set(rooms.map(room => room.path))
  return [
    ...[...folders]
      .filter(folder => folder !== 'src' && !listed.has(folder))
      .map(folder => `${folder}: has no line in test/rooms.ts; add one, then npm run docs`),
    ...[...listed]
      .filter(path => !folders.has(path) && !files.has(path))
      .map(path => `${path}: is in test/rooms.ts and does not exist`),
    ...otherFolders
      .filter(({ path }) => !atRoot.has(path))
      .map(({ path }) => `${path}: is in test/rooms.ts and does not exist`),
    ...[...atRoot]
      .filter(folder => !otherFolders.some(({ path }) => path === folder))
      .map(folder => `${folder}: has no line in test/rooms.ts; add one, then npm run docs`),
  ]
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Names of sources whose suffix `docs/architecture.md` does not explain. */
export function unknownSuffixes(files: Files): string[] {
  return [...files.keys()].flatMap(path => {
    if (!isSource(path)) return []
    const [, ...parts] = posix.basename(path, '.ts').split('.')
    const suffix = parts.join('.')
    // A test may be about a file with a suffix of its own: traits.schemas.test.ts.
    const known = suffix === '' || suffixes.has(suffix) || suffixes.has(suffix.replace(/\.test$/, ''))
    return known ? [] : [`${path}: '.${suffix}' is no suffix of test/rooms.ts`]
  })
}

/** In a service `name.ts` holds rules; `name.routes.ts`, `name.schemas.ts` and the like stand around them. */
function isRule(path: string): boolean {
  const name = posix.basename(path, '.ts')
  if (name.includes('.') || !RULE_ROOMS.some(room => isWithin(path, room))) return false
  return !(path.split('/').length === 3 && EDGE_FILES.has(name))
}

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

/** Who changes a world for good: its own room, what loads and follows the store, and the sequencer. */
const WRITES_WORLDS = /^src\/(world|store)\//

/**
 * Everybody else looks at it, or goes through a rehearsal (src/world/rehearsal.ts) or a copy (src/world/world-copy.ts). `berth`
 * is the HTTP client, which has an `apply` of its own.
 */
export function worldWrites(files: Files): string[] {
  return sources(files)
    .filter(([path]) => !WRITES_WORLDS.test(path))
    .flatMap(([path, text]) =>
      [
        ...withoutComments(text).matchAll(
          /(?<!\bberth)\??\.(apply|undo|loadAll|become)\(|\[['"`](apply|undo)/g,
        ),
      ].map(([call]) => `${path}: ${call} writes to a world; use rehearse() or a WorldCopy`),
    )
}

/** Where the commands of a service are listed with their rules. */
const RULE_LIST = /^src\/([\w-]+(\/rules)?\/rules|scheduling\/commands)\.ts$/
/** Files that answer requests. */
const ANSWERS_REQUESTS = /^src\/(v1|http)\/|\.(routes|body|query|view|list|answer|service)\.ts$/

/** Routes submit commands to the sequencer, which runs the rules. A copy of the world is for what-if.ts and its like. */
export function rulesInRoutes(files: Files): string[] {
  const all = sources(files)
  const rules = new Set(
    all
      .filter(([path]) => RULE_LIST.test(path))
      .flatMap(([path, text]) => importedNames(path, text).map(([name, from]) => `${from} ${name}`)),
  )
  return all
    .filter(([path]) => ANSWERS_REQUESTS.test(path))
    .flatMap(([path, text]) =>
      importedNames(path, text.replace(/^import type [^']*'[^']*'$/gm, '').replace(/\btype \w+,?/g, ''))
        .filter(([name, from]) => rules.has(`${from} ${name}`))
        .map(([name]) => `${path}: ${name} is a rule; submit its command`),
    )
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
const FIXED_NAMES = new Set([
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'Containerfile',
  'Chart.yaml',
  'NOTES.txt',
  'berth@.service',
  // Python and Horizon fix these.
  'berth_horizon',
  '__init__.py',
  'local_settings.d',
  '_95_berth.py',
  'berth_openstack',
])

/** Python imports modules by name, which cannot have a hyphen. */
const PYTHON_MODULE = /^[a-z][a-z0-9_]*\.py$/

export function badNames(files: Files): string[] {
  return [...files.keys()].flatMap(path =>
    path.split('/').flatMap(part => {
      if (FIXED_NAMES.has(part)) return []
      if (DRAWERS.test(part.split('.')[0] as string)) return [`${path}: '${part}' does not say what it holds`]
      return KEBAB_CASE.test(part) || PYTHON_MODULE.test(part) ? [] : [`${path}: '${part}' is not kebab-case`]
    }),
  )
}

export function longFiles(files: Files): string[] {
  return measured(files).flatMap(([path, text]) => {
    const lines = text.trimEnd().split('\n').length
    return lines > LINES_PER_FILE_MAX && !LONG_TABLES.has(path)
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

/** Object literals spread into others, which only keeps the formatter from breaking a line: members stand by themselves. */
export function spreadLiterals(files: Files): string[] {
  return [...files]
    .filter(([path]) => /^(src|console|test|sim|bench|scripts|e2e|packaging)\/.*\.tsx?$/.test(path))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, at) => (/\.{3}\{/.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    )
}

/** Exports that no other file imports: they need not be exported, or are dead. */
export function unusedExports(files: Files): string[] {
  const sources = [...files].filter(([path]) =>
    /^(src|console|test|sim|bench|scripts|e2e|conformance|packaging)\/.*\.tsx?$/.test(path),
  )
  const imported = new Map<string, Set<string>>()
  for (const [path, text] of sources)
    for (const [name, from] of importedNames(path, text)) {
      const names = imported.get(from) ?? new Set()
      imported.set(from, names.add(name))
    }
  return sources.flatMap(([path, text]) => {
    const names = imported.get(path)
    if (names?.has('*')) return []
    return [...text.matchAll(EXPORT)]
      .filter(([, name]) => !names?.has(name as string))
      .map(([, name]) => `${path}: nothing imports ${name}`)
  })
}

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm
const IMPORT = /^\s*(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|(\*)[^'{]*)\s*from\s+'(\.[^']+)'/gm
const WHOLE_IMPORT = /\bimport\(\s*'(\.[^']+)'/g

/** What a file imports by name from others of the repository; `*` stands for all of it. */
function importedNames(path: string, text: string): [name: string, from: string][] {
  const led = (to: string) => posix.join(posix.dirname(path), to)
  const named = [...text.matchAll(IMPORT)].flatMap(([, list, all, from]) => {
    const names = all === undefined ? (list as string).split(',') : ['*']
    return names.map((name): [string, string] => [
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/s, ''),
      led(from as string),
    ])
  })
  return [
    ...named,
    ...[...text.matchAll(WHOLE_IMPORT)].map(([, from]): [string, string] => ['*', led(from as string)]),
  ]
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

const CODE_PATH =
  /`((?:\.ci|bench|bin|conformance|console|docs|e2e|packaging|scripts|sim|src|test)\/[^`\s]*)`/g

/** Files and folders that a page names and that do not exist. A `*` or `<name>` stands for anything; past changes may name what is gone. */
export function missingPaths(files: Files): string[] {
  const known = [...files.keys()]
  return [...files]
    .filter(([path]) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .flatMap(([path, text]) =>
      [...text.matchAll(CODE_PATH)].flatMap(([, named = '']) => {
        const pattern = named.replace(/\/$/, '').replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
        const found = new RegExp(`^${pattern.replaceAll(/\*+|<[^>]*>/g, '.*')}(/|$)`)
        return known.some(file => found.test(file)) ? [] : [`${path}: ${named} does not exist`]
      }),
    )
}
