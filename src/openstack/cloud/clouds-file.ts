import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { SettingsRefused } from '../../client/failure.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'

/** Where to search for clouds.yaml. */
export interface CloudPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  readonly workingDirectory: string
}

export type Values = Readonly<Record<string, unknown>>

/** A cloud as the files or variables describe it. */
export interface RawCloud {
  readonly name: string
  /** A file or the variables: messages name it. */
  readonly from: string
  readonly values: Values
}

/** The name of the cloud that the OS_* variables describe. */
const ENVVARS = 'envvars'
const ENDINGS = ['yaml', 'yml', 'json']
const BYTES_MAX = 1024 * 1024
/** Aliases may multiply a small file. */
const ALIASES_MAX = 100

/**
 * The cloud of this name, as openstacksdk finds it: OS_CLIENT_CONFIG_FILE, else the first clouds.yaml of the working directory,
 * ~/.config/openstack and /etc/openstack; secure.yaml is laid over it. Without a name: that of OS_CLOUD, else the OS_* variables.
 */
export async function findCloud(name: string | undefined, place: CloudPlace): Promise<RawCloud> {
  const { env } = place
  const wanted = name ?? env.OS_CLOUD ?? (env.OS_AUTH_URL === undefined ? undefined : ENVVARS)
  const file = await readFirst('clouds', env.OS_CLIENT_CONFIG_FILE, place)
  const clouds = file === null ? emptyRecord<unknown>() : recordAt(file.values, 'clouds', file.path)
  if (wanted === undefined)
    throw new SettingsRefused(`name the cloud: ${describeKnown(Object.keys(clouds), file)}`, true)
  const found = ownValue(clouds, wanted)
  if (found === undefined || file === null) {
    if (wanted === ENVVARS && env.OS_AUTH_URL !== undefined) return cloudOfVariables(env)
    throw new SettingsRefused(
      `there is no cloud named ${wanted}: ${describeKnown(Object.keys(clouds), file)}`,
    )
  }
  const own = toRecord(found, `cloud ${wanted} in ${file.path}`)
  const secure = await readFirst('secure', env.OS_CLIENT_SECURE_FILE, place)
  const secret =
    secure === null ? undefined : ownValue(recordAt(secure.values, 'clouds', secure.path), wanted)
  const merged =
    secret === undefined ? own : mergeDeep(own, toRecord(secret, `cloud ${wanted} in secure.yaml`))
  return { name: wanted, from: file.path, values: await layOverProfile(merged, place) }
}

/** A cloud may refer to the profile of its vendor in clouds-public.yaml. */
async function layOverProfile(cloud: Values, place: CloudPlace): Promise<Values> {
  const profile = ownValue(cloud, 'profile') ?? ownValue(cloud, 'cloud')
  if (typeof profile !== 'string') return cloud
  const file = await readFirst('clouds-public', undefined, place)
  const vendor =
    file === null ? undefined : ownValue(recordAt(file.values, 'public-clouds', file.path), profile)
  if (vendor === undefined)
    throw new SettingsRefused(
      `the profile ${profile} is in no clouds-public.yaml: write its auth_url into the cloud instead`,
    )
  return mergeDeep(toRecord(vendor, `profile ${profile}`), cloud)
}

function cloudOfVariables(env: CloudPlace['env']): RawCloud {
  const values = emptyRecord<unknown>()
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('OS_') && value !== undefined && value !== '')
      values[name.slice('OS_'.length).toLowerCase()] = value
  return { name: ENVVARS, from: 'the OS_* variables', values }
}

interface FoundFile {
  readonly path: string
  readonly values: Values
}

async function readFirst(
  name: string,
  named: string | undefined,
  { homeDirectory, workingDirectory }: CloudPlace,
): Promise<FoundFile | null> {
  const directories = [workingDirectory, join(homeDirectory, '.config', 'openstack'), '/etc/openstack']
  const paths = directories.flatMap(directory => ENDINGS.map(ending => join(directory, `${name}.${ending}`)))
  for (const path of named === undefined || named === '' ? paths : [named, ...paths]) {
    const text = await readText(path)
    if (text === null) continue
    return { path, values: parseFile(path, text) }
  }
  return null
}

/** Null if there is no such file. */
async function readText(path: string): Promise<string | null> {
  try {
    const { size } = await stat(path)
    if (size > BYTES_MAX) throw new SettingsRefused(`${path} has more than ${BYTES_MAX} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === undefined) throw error
    throw new SettingsRefused(`${path} cannot be read (${code})`)
  }
}

function parseFile(path: string, text: string): Values {
  try {
    // 1.1 is what openstacksdk reads: `verify: no` is false.
    const values: unknown = parse(text, { version: '1.1', maxAliasCount: ALIASES_MAX, logLevel: 'error' })
    return values === null ? emptyRecord() : toRecord(values, path)
  } catch (error) {
    if (error instanceof SettingsRefused) throw error
    // Only the first line: the others quote the file, which has passwords.
    throw new SettingsRefused(`${path} is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

function recordAt(values: Values, key: string, path: string): Values {
  const value = ownValue(values, key)
  return value === undefined || value === null ? emptyRecord() : toRecord(value, `${key} in ${path}`)
}

export function toRecord(value: unknown, what: string): Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SettingsRefused(`${what} is not a mapping`)
  return value as Values
}

function mergeDeep(below: Values, above: Values): Values {
  const merged = Object.assign(emptyRecord<unknown>(), below)
  for (const [key, value] of Object.entries(above)) {
    const other = ownValue(merged, key)
    merged[key] = isPlain(other) && isPlain(value) ? mergeDeep(other, value) : value
  }
  return merged
}

const isPlain = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function describeKnown(names: readonly string[], file: FoundFile | null): string {
  if (file === null)
    return 'there is no clouds.yaml in the working directory, ~/.config/openstack or /etc/openstack; OS_CLIENT_CONFIG_FILE names another'
  return `${file.path} has ${names.length === 0 ? 'none' : names.join(', ')}`
}
