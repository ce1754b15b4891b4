import { readFileSync } from 'node:fs'

/** The configuration cannot be followed. One line. */
export class KollaRefused extends Error {
  override name = 'KollaRefused'
}

/** A file or directory to copy. */
export interface CopiedFile {
  /** May be a pattern. */
  readonly source: string
  /** With a slash at its end: the directory to copy into. */
  readonly dest: string
  readonly owner?: string
  readonly perm?: string
  readonly optional?: boolean
  /** Keep owner and mode of the source. */
  readonly preserve_properties?: boolean
  /** Add to a directory that is there; otherwise it is replaced. */
  readonly merge?: boolean
}

/** Who shall own a path, and its mode. */
export interface Ownership {
  readonly path: string
  readonly owner: string
  readonly perm?: string
  readonly recurse?: boolean
  /** Regular expressions of paths to leave alone. */
  readonly exclude?: readonly string[]
}

export interface KollaConfig {
  readonly command: string
  readonly config_files: readonly CopiedFile[]
  readonly directories: readonly Ownership[]
  readonly files: readonly Ownership[]
  readonly permissions: readonly Ownership[]
}

const PERM = /^(0o)?[0-7]{3,4}$/

/** Reads config.json as Kolla-Ansible writes it. Throws KollaRefused or what Node throws. */
export function parseConfig(path: string): KollaConfig {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new KollaRefused(`${path} is not JSON: ${error.message}`)
    throw error
  }
  if (typeof parsed !== 'object' || parsed === null) throw new KollaRefused(`${path} is no object`)
  const config = parsed as Record<string, unknown>
  if (typeof config.command !== 'string' || config.command.trim() === '')
    throw new KollaRefused(`${path}: command is missing`)
  return {
    command: config.command,
    config_files: entriesOf<CopiedFile>(config, 'config_files', ['source', 'dest'], isCopiedFile),
    directories: entriesOf<Ownership>(config, 'directories', ['path', 'owner', 'perm']),
    files: entriesOf<Ownership>(config, 'files', ['path', 'owner', 'perm']),
    permissions: entriesOf<Ownership>(config, 'permissions', ['path', 'owner']),
  }
}

function isCopiedFile(entry: Record<string, unknown>): string | null {
  const isComplete =
    entry.preserve_properties === true || (entry.owner !== undefined && entry.perm !== undefined)
  return isComplete ? null : 'needs owner and perm, or preserve_properties'
}

function entriesOf<T>(
  config: Record<string, unknown>,
  section: string,
  required: readonly string[],
  findFault: (entry: Record<string, unknown>) => string | null = () => null,
): T[] {
  const list = config[section] ?? []
  if (!Array.isArray(list)) throw new KollaRefused(`config.json: ${section} is no list`)
  return list.map((entry: Record<string, unknown>, at) => {
    const missing = required.filter(name => typeof entry[name] !== 'string' || entry[name] === '')
    const fault =
      missing.length > 0 ? `lacks ${missing.join(' and ')}` : (findFault(entry) ?? permFault(entry))
    if (fault !== null) throw new KollaRefused(`config.json: ${section}[${at}] ${fault}`)
    return entry as T
  })
}

const permFault = ({ perm }: Record<string, unknown>): string | null =>
  perm === undefined || (typeof perm === 'string' && PERM.test(perm))
    ? null
    : `has perm ${perm}, which is no mode`

/** Modes are octal, with or without `0o`. */
export const modeOf = (perm: string): number => Number.parseInt(perm.replace(/^0o/, ''), 8)
