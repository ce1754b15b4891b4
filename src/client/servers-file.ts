import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownValue } from '../kernel/records.ts'
import { SettingsRefused } from './failure.ts'

/** The file of named servers. */
export interface ServersFile {
  readonly path: string
  /** Null where there is no file. */
  readonly content: ServersFileContent | null
}

type ServersFileContent = {
  /** The server to use when nothing names one. */
  readonly default?: string
  readonly servers: Readonly<Record<string, ServerEntry>>
}

export interface ServerEntry {
  readonly url: string
  readonly token?: string
  /** A relative path starts at the directory of this file. */
  readonly token_file?: string
}

const VARIABLE = 'BERTH_CLIENT_CONFIG'

const defaultServersFile = (
  env: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): string => join(env.XDG_CONFIG_HOME || join(homeDirectory, '.config'), 'berth', 'client.json')

/** The file that BERTH_CLIENT_CONFIG names, which must be there, or the one in the home directory, if it is. */
export async function readServersFile(
  env: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): Promise<ServersFile> {
  const named = env[VARIABLE] || undefined
  const path = named ?? defaultServersFile(env, homeDirectory)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (named === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return { path, content: null }
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    const by = named === undefined ? '' : ` (environment variable ${VARIABLE})`
    throw new SettingsRefused(`the client configuration ${path}${by} ${why}`)
  }
  return { path, content: contentOf(text, path) }
}

const EXAMPLE =
  '{"default": "lab", "servers": {"lab": {"url": "http://lab:8778", "token_file": "lab.token"}}}'

function contentOf(text: string, path: string): ServersFileContent {
  const makeError = (what: string) =>
    new SettingsRefused(`the client configuration ${path}: ${what}; write it like ${EXAMPLE}`)
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw makeError(`it is not JSON (${(error as Error).message})`)
  }
  if (!isObject(parsed)) throw makeError('it is not a JSON object')
  const fault = objectFault(parsed, '', { default: 'string', servers: 'object' }, ['servers'])
  if (fault !== null) throw makeError(fault)
  const { servers } = parsed as { servers: Record<string, unknown> }
  for (const [name, entry] of Object.entries(servers)) {
    if (!isObject(entry)) throw makeError(`servers.${name} is not an object`)
    const kinds = { url: 'string', token: 'string', token_file: 'string' } as const
    const inEntry = objectFault(entry, `servers.${name}.`, kinds, ['url'])
    if (inEntry !== null) throw makeError(inEntry)
    if (entry.token !== undefined && entry.token_file !== undefined)
      throw makeError(`servers.${name} has both token and token_file`)
  }
  return parsed as ServersFileContent
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectFault(
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  kinds: Readonly<Record<string, 'string' | 'object'>>,
  required: readonly string[],
): string | null {
  for (const [key, one] of Object.entries(value)) {
    const kind = ownValue(kinds, key)
    if (kind === undefined) return `${prefix}${key} is not a known key`
    if (kind === 'object' ? !isObject(one) : typeof one !== 'string')
      return `${prefix}${key} is not ${kind === 'object' ? 'an object' : 'a string'}`
  }
  const missing = required.find(key => ownValue(value, key) === undefined)
  return missing === undefined ? null : `${prefix}${missing} is missing`
}
