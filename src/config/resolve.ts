import { nearestName } from '../kernel/nearest-name.ts'
import { ownValue } from '../kernel/records.ts'
import {
  type Config,
  defaultOf,
  flagOf,
  isKeyName,
  type KeyName,
  keyNames,
  keyOf,
  variablesOf,
} from './keys.ts'
import type { Reading } from './kinds.ts'
import { isLoopback } from './loopback.ts'
import type { Translation } from './oslo/translate.ts'

/** Where a value came from. */
export type Origin =
  | { readonly from: 'flag'; readonly name: string }
  | { readonly from: 'environment'; readonly name: string }
  | {
      readonly from: 'file'
      readonly name: string
      /** For a placement.conf: the option, such as `[api] auth_strategy`. */
      readonly option?: string
      readonly line?: number
    }
  | { readonly from: 'default' }

export interface ConfigProblem {
  /** The key as written; null if the whole file is wrong. */
  readonly key: string | null
  /** The value as it was written. */
  readonly value: string | null
  readonly origin: Origin
  readonly wrong: string
  readonly remedy: string
}

export interface Sources {
  /** The values of the flags, as text. */
  readonly flags: Readonly<Partial<Record<KeyName, string>>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The parsed file, if there is one. */
  readonly file: ConfigFile | null
  /** Log lines go to a terminal. */
  readonly terminal: boolean
}

export interface ConfigFile {
  readonly path: string
  readonly content: unknown
  /** Set if the file is a placement.conf. */
  readonly translation?: Translation
}

export type Resolved =
  | {
      readonly ok: true
      readonly values: Config
      readonly origins: Origins
      /** How the options of a placement.conf were translated, if there was one. */
      readonly translation?: Translation
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

export type Origins = { readonly [K in KeyName]: Origin }

/** Flags win over environment, file and defaults. Returns a complete configuration, or all problems. */
export function resolveConfig(sources: Sources): Resolved {
  const problems: ConfigProblem[] = []
  const entries = fileEntries(sources.file, problems)
  const values: Partial<Record<KeyName, unknown>> = {}
  const origins: Partial<Record<KeyName, Origin>> = {}
  for (const name of keyNames) {
    const given = givenFor(name, sources, entries)
    origins[name] = given.origin
    if (given.reading.ok) values[name] = given.reading.value
    else problems.push(valueProblem(name, given.written, given.origin, given.reading.wrong))
  }
  problems.push(...crossChecks(values as Partial<Config>, origins as Origins))
  if (problems.length > 0) return { ok: false, problems }
  const resolved = { ok: true, values: values as Config, origins: origins as Origins } as const
  const translation = sources.file?.translation
  return translation === undefined ? resolved : { ...resolved, translation }
}

interface Given {
  readonly written: string
  readonly origin: Origin
  readonly reading: Reading<unknown>
}

function givenFor(name: KeyName, sources: Sources, entries: ReadonlyMap<KeyName, unknown>): Given {
  const { kind } = keyOf(name)
  const flag = sources.flags[name]
  if (flag !== undefined)
    return { written: flag, origin: { from: 'flag', name: flagOf(name) }, reading: kind.fromText(flag) }
  // Shells and compose files set a variable to nothing to mean "not set".
  for (const variable of variablesOf(name)) {
    const text = ownValue(sources.env, variable)
    if (text !== undefined && text !== '')
      return {
        written: text,
        origin: { from: 'environment', name: variable },
        reading: kind.fromText(text),
      }
  }
  if (sources.file !== null && entries.has(name)) {
    const value = entries.get(name)
    return {
      written: JSON.stringify(value),
      origin: sources.file.translation?.origins.get(name) ?? { from: 'file', name: sources.file.path },
      reading: kind.fromJson(value),
    }
  }
  const value = defaultOf(name, { terminal: sources.terminal })
  return { written: '', origin: { from: 'default' }, reading: { ok: true, value } }
}

function fileEntries(file: ConfigFile | null, problems: ConfigProblem[]): ReadonlyMap<KeyName, unknown> {
  const entries = new Map<KeyName, unknown>()
  if (file === null) return entries
  problems.push(...(file.translation?.problems ?? []))
  const origin: Origin = { from: 'file', name: file.path }
  if (typeof file.content !== 'object' || file.content === null || Array.isArray(file.content)) {
    const remedy = 'write an object of keys and values, such as {"port": 8778}'
    problems.push({ key: null, value: null, origin, wrong: 'is not a JSON object', remedy })
    return entries
  }
  for (const [name, value] of Object.entries(file.content)) {
    if (isKeyName(name)) entries.set(name, value)
    else {
      const near = nearestName(name, keyNames)
      const remedy = near === null ? 'remove it; `berth config` lists the keys' : `did you mean ${near}?`
      problems.push({ key: name, value: JSON.stringify(value), origin, wrong: 'is not a known key', remedy })
    }
  }
  return entries
}

function valueProblem(name: KeyName, value: string, origin: Origin, wrong: string): ConfigProblem {
  const { kind } = keyOf(name)
  return {
    key: name,
    value: kind.shown?.(value) ?? value,
    origin,
    wrong,
    remedy: `allowed: ${kind.allowed.replaceAll('`', '')}`,
  }
}

/** Checks that need several keys. */
function crossChecks(values: Partial<Config>, origins: Origins): ConfigProblem[] {
  return [
    ...exposureChecks(values, origins),
    ...tlsChecks(values, origins),
    ...keystoneChecks(values, origins),
  ]
}

/** Callers from other machines must authenticate, over an encrypted connection. */
function exposureChecks(
  { auth, host, tls_cert, behind_proxy }: Partial<Config>,
  origins: Origins,
): ConfigProblem[] {
  if (host === undefined || isLoopback(host)) return []
  const where = `the host '${host}' (${originText(origins.host)})`
  if (auth === 'noauth2')
    return [
      {
        key: 'auth',
        value: auth,
        origin: origins.auth,
        wrong: `lets everyone in who can reach ${where}`,
        remedy: 'listen on 127.0.0.1, or set auth to token',
      },
    ]
  if (tls_cert !== null || behind_proxy !== false) return []
  return [
    {
      key: 'host',
      value: host,
      origin: origins.host,
      wrong: 'can be reached by others, who could read tokens and passwords on the way',
      remedy:
        'listen on 127.0.0.1, set tls_cert and tls_key, or set behind_proxy if a proxy in front terminates TLS and the port is reachable only through it',
    },
  ]
}

function tlsChecks({ tls_cert, tls_key }: Partial<Config>, origins: Origins): ConfigProblem[] {
  if (tls_cert === undefined || tls_key === undefined || (tls_cert === null) === (tls_key === null)) return []
  const [given, missing] =
    tls_cert === null ? (['tls_key', 'tls_cert'] as const) : (['tls_cert', 'tls_key'] as const)
  return [
    {
      key: given,
      value: tls_cert ?? tls_key,
      origin: origins[given],
      wrong: `is of no use without ${missing}`,
      remedy: `set ${missing} as well`,
    },
  ]
}

const KEYSTONE_NEEDS = ['keystone_url', 'keystone_username', 'keystone_password'] as const

function keystoneChecks(values: Partial<Config>, origins: Origins): ConfigProblem[] {
  if (values.auth !== 'keystone') return []
  return KEYSTONE_NEEDS.filter(name => values[name] === null).map(name => ({
    key: 'auth',
    value: 'keystone',
    origin: origins.auth,
    wrong: `needs ${name}`,
    remedy: `set ${name}`,
  }))
}

export function originText(origin: Origin): string {
  switch (origin.from) {
    case 'flag':
      return `flag ${origin.name}`
    case 'environment':
      return `environment variable ${origin.name}`
    case 'file':
      return `file ${origin.name}${origin.line === undefined ? '' : `:${origin.line}`}${origin.option === undefined ? '' : `, ${origin.option}`}`
    case 'default':
      return 'default'
    default:
      return origin satisfies never
  }
}

/** One line: the key, the value, where it came from, what is wrong with it, and the remedy. */
export function problemText({ key, value, origin, wrong, remedy }: ConfigProblem): string {
  const subject = key === null ? originText(origin) : `${key}${value === null ? '' : ` = ${shorten(value)}`}`
  const source = key === null ? '' : ` (${originText(origin)})`
  return `${subject}${source} ${wrong}; ${remedy}`
}

const SHOWN_CHARS_MAX = 120

function shorten(value: string): string {
  const line = value.replace(/\s+/g, ' ')
  return line.length > SHOWN_CHARS_MAX ? `${line.slice(0, SHOWN_CHARS_MAX)}...` : line === '' ? "''" : line
}
