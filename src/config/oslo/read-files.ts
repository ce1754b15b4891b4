import { statSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ConfigProblem } from '../resolve.ts'
import { IniUnreadable, parseIni } from './ini.ts'
import type { ParsedFile } from './option-values.ts'
import {
  CONFIG_FILE,
  configDirectories,
  defaultDirectories,
  defaultFiles,
  filesIn,
  type NamedSource,
  type SearchPlaces,
} from './search.ts'
import { type Translation, translate } from './translate.ts'

/** How Placement's own programs find their configuration. */
export interface OsloRequest {
  /** The values of `--config-file` and `--config-dir`. */
  readonly named: readonly NamedSource[]
  /** The name of the program, which may have its own file. */
  readonly program: string
  readonly places: SearchPlaces
}

type Env = Readonly<Record<string, string | undefined>>

/** The directory of placement.conf, as for Placement's WSGI script. */
export const DIRECTORY_VARIABLE = 'OS_PLACEMENT_CONFIG_DIR'

const FILE_BYTES_MAX = 1024 * 1024
const FILES_MAX = 100
const SQLITE_HEADER = 'SQLite format 3\0'
/** "BRTH", SQLite's application id in Berth's files. */
const BERTH_MARK = 'BRTH'

export type OsloReading =
  | { readonly ok: true; readonly translation: Translation }
  | { readonly ok: false; readonly problem: ConfigProblem }

/** Finds the files as oslo.config does with `project='placement'`, and translates them. */
export async function readPlacementConfig(request: OsloRequest, env: Env): Promise<OsloReading> {
  const { named, program, places } = request
  const directory = env[DIRECTORY_VARIABLE]?.trim() ?? ''
  const byDefault = directory === '' ? defaultFiles(program, places) : [join(directory, CONFIG_FILE)]
  const sources: NamedSource[] = [
    ...(named.some(({ kind }) => kind === 'file')
      ? []
      : byDefault.map(path => ({ kind: 'file', path }) as const)),
    ...named,
    ...(named.some(({ kind }) => kind === 'directory')
      ? []
      : defaultDirectories(program, places).map(path => ({ kind: 'directory', path }) as const)),
  ]
  const paths = pathsOf(sources)
  if (!Array.isArray(paths)) return { ok: false, problem: paths }
  const near = sources.map(({ kind, path }) => (kind === 'file' ? dirname(path) : path)).reverse()
  return readAndTranslate(paths, [...near, ...configDirectories(places)], env)
}

function pathsOf(sources: readonly NamedSource[]): string[] | ConfigProblem {
  const paths: string[] = []
  for (const { kind, path } of sources) {
    try {
      paths.push(...(kind === 'file' ? [path] : filesIn(path)))
    } catch (error) {
      return unreadable(path, error)
    }
  }
  return paths.length <= FILES_MAX
    ? paths
    : fileProblem(paths[FILES_MAX] as string, `is one of more than ${FILES_MAX} files`)
}

/** Reads one file by its path; finds policy files next to it. */
export function translateFile(path: string, text: string, env: Env): OsloReading {
  const parsed = parse(path, text)
  if ('wrong' in parsed) return { ok: false, problem: parsed }
  return { ok: true, translation: translate({ files: [parsed], env, directories: [dirname(path)] }) }
}

async function readAndTranslate(
  paths: readonly string[],
  directories: readonly string[],
  env: Env,
): Promise<OsloReading> {
  const files: ParsedFile[] = []
  for (const path of paths) {
    const parsed = await read(path)
    if ('wrong' in parsed) return { ok: false, problem: parsed }
    files.push(parsed)
  }
  return { ok: true, translation: translate({ files, env, directories }) }
}

async function read(path: string): Promise<ParsedFile | ConfigProblem> {
  try {
    if (statSync(path).size > FILE_BYTES_MAX)
      return fileProblem(path, `has more than ${FILE_BYTES_MAX} bytes`)
    return parse(path, await readFile(path, 'utf8'))
  } catch (error) {
    return unreadable(path, error)
  }
}

function parse(path: string, text: string): ParsedFile | ConfigProblem {
  if (text.length > FILE_BYTES_MAX) return fileProblem(path, `has more than ${FILE_BYTES_MAX} bytes`)
  try {
    return { path, assignments: parseIni(text) }
  } catch (error) {
    if (!(error instanceof IniUnreadable)) throw error
    return fileProblem(path, `cannot be read at line ${error.line}: ${error.message}`)
  }
}

function unreadable(path: string, error: unknown): ConfigProblem {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return fileProblem(path, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`)
}

const fileProblem = (path: string, wrong: string): ConfigProblem => ({
  key: null,
  value: null,
  origin: { from: 'file', name: path },
  wrong,
  remedy: 'correct it, or name another file',
})

/** An INI file, not JSON: by its extension, or because a section comes first. */
export function isIni(path: string, text: string): boolean {
  if (/\.json$/i.test(path) || /^\uFEFF?\s*\{/.test(text)) return false
  return (
    /\.(conf|ini)$/i.test(path) ||
    /^\uFEFF?(?:[^\S\n]*(?:[#;][^\n]*)?\n)*\[[^\]\n"{]+\][^\S\n]*(?:\n|$)/.test(text)
  )
}

const HEADER_BYTES = 100

/**
 * Placement's database has everything that the cloud holds, so operators must notice if Berth starts with an
 * empty store next to it. Null if the file that `connection` names does not exist or is Berth's, or if Berth
 * already has its own store there.
 */
export async function findForeignSqlite(
  { sqliteFile, origins }: Translation,
  dataDirectory: string,
): Promise<ConfigProblem | null> {
  const isOwn = sqliteFile === null || dataDirectory !== dirname(sqliteFile)
  if (isOwn || isFile(join(dataDirectory, 'berth.sqlite')) || !isFile(sqliteFile)) return null
  const header = await headerOf(sqliteFile)
  if (header.length === 0 || header.toString('latin1', 68, 72) === BERTH_MARK) return null
  const isDatabase = header.toString('latin1', 0, SQLITE_HEADER.length) === SQLITE_HEADER
  return {
    key: '[placement_database] connection',
    value: null,
    origin: origins.get('data_dir') ?? { from: 'default' },
    wrong:
      `names ${sqliteFile}, which is ${isDatabase ? 'a database of another program' : 'no database'}: ` +
      'Berth does not read it and would begin with an empty store beside it',
    remedy:
      'copy its content over the API (docs/how-to/replace-placement.md) and move the file away, or set data_dir',
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function headerOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
