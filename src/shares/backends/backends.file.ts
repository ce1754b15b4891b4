import { readFile, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Json } from '../../kernel/json.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { emptyRecord, ownValue } from '../../kernel/records.ts'
import { findBackendByName } from '../../scheduling/pools/pools.ts'
import type { World } from '../../world/world.ts'
import { DRIVER_KINDS } from '../drivers/open.driver.ts'
import { readIdentity, requireApartFromOwn, resolvePath } from '../drivers/same-place.driver.ts'
import type { DeclaredBackend, DeclaredBackends, DeclaredPool, DeclaredType } from './declared-backends.ts'
import { describeHostSetting, findHostSetting, findSettingsFault } from './directory-settings.ts'
import { describeOverlap, findOverlap, listRoots, type RealRoots } from './roots.ts'

/** The content of `backends.json`. */
interface BackendsFile extends DeclaredBackends {
  readonly types: readonly DeclaredType[]
  readonly defaultType: string | null
}

/** An error in the file, in one line. */
export class BackendsFileFault extends Error {
  override name = 'BackendsFileFault'
}

const GB = 2 ** 30
const DELAY_S_MAX = 86_400

/** Null if there is none. */
export async function readBackendsFile(
  directory: string,
  ownPaths: readonly string[],
): Promise<BackendsFile | null> {
  const path = join(directory, 'backends.json')
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new BackendsFileFault(`${path} cannot be read: ${(reason as Error).message}`)
  }
  try {
    return await parseBackends(JSON.parse(text), ownPaths)
  } catch (reason) {
    throw new BackendsFileFault(`${path}: ${(reason as Error).message}`)
  }
}

export async function parseBackends(value: unknown, ownPaths: readonly string[]): Promise<BackendsFile> {
  const file = requireObject('it', value)
  const host = requireName('host', file.host, '@#')
  const backends = await Promise.all(
    listAt('backends', file.backends).map((one, at) => parseBackend(`backends[${at}]`, one)),
  )
  requireDistinct('backends', backends)
  await requireOwnRoots(backends)
  for (const root of listDeclaredRoots(backends)) await requireApartFromOwn(root, ownPaths)
  const types = listAt('share_types', file.share_types).map((one, at) => parseType(`share_types[${at}]`, one))
  requireDistinct('share_types', types)
  const defaultType = file.default_share_type ?? null
  if (defaultType !== null && typeof defaultType !== 'string')
    throw makeFault('default_share_type', defaultType, 'must be a name')
  return { host, backends, types, defaultType }
}

/** Links are resolved first. */
async function requireOwnRoots(backends: readonly DeclaredBackend[]): Promise<void> {
  const real = await resolveRoots(listDeclaredRoots(backends))
  const rooted = backends
    .filter(({ driver }) => driver === 'directory')
    .map(({ name, settings }) => ({ backend: name, root: real[settings.root as string] as string }))
  const met = findOverlap(rooted)
  if (met !== null) throw new Error(describeOverlap(...met))
}

type Rooted = Pick<DeclaredBackend, 'driver' | 'settings'>

const listDeclaredRoots = (backends: readonly Rooted[]): string[] =>
  backends.flatMap(({ driver, settings }) => (driver === 'directory' ? [settings.root as string] : []))

/** For the back ends of a file and those in the store, which may have some that no file declares any more. */
export const realRootsOf = (
  world: World,
  { backends }: { readonly backends: readonly Rooted[] },
): Promise<RealRoots> => resolveRoots([...listRoots(world), ...listDeclaredRoots(backends)])

/** For the back ends in the store, whichever file declared them. */
export async function requireRootsApart(world: World, ownPaths: readonly string[]): Promise<void> {
  for (const root of listRoots(world))
    await requireApartFromOwn(root, ownPaths).catch((reason: Error) => {
      throw new BackendsFileFault(`a share back end in the store is refused: ${reason.message}`)
    })
}

/** A directory that is mounted twice gets one of its paths. */
async function resolveRoots(roots: readonly string[]): Promise<RealRoots> {
  const names = new Map<string, string>()
  const real: Record<string, string> = emptyRecord()
  for (const root of roots) {
    const path = await resolvePath(resolve(root)).catch(() => resolve(root))
    const id = (await readIdentity(path).catch(() => null)) ?? path
    if (!names.has(id)) names.set(id, path)
    real[root] = names.get(id) as string
  }
  return real
}

/** For back ends that `berth apply` declares. */
export function requireNoHostSettings(world: World, { host, backends }: DeclaredBackends): void {
  for (const { name, settings } of backends) {
    const row = findBackendByName(world, `${host}@${name}`)
    const field = findHostSetting(settings, row === undefined ? {} : world.shares.parseColumn(row.settings))
    if (field !== null) throw new Error(`back end ${name}: ${describeHostSetting(field)}`)
  }
}

const KNOWN = ['name', 'driver', 'availability_zone', 'capabilities', 'pools']

/** The driver reads the other fields of a back end. */
async function parseBackend(at: string, value: unknown): Promise<DeclaredBackend> {
  const backend = requireObject(at, value)
  const driver = backend.driver ?? 'simulated'
  if (typeof driver !== 'string' || !DRIVER_KINDS.includes(driver))
    throw makeFault(`${at}.driver`, driver, `must be one of ${DRIVER_KINDS.join(', ')}`)
  const settings = Object.fromEntries(Object.entries(backend).filter(([key]) => !KNOWN.includes(key)))
  const fault = driver === 'directory' ? findSettingsFault(settings) : null
  if (fault !== null) {
    const [field, must] = fault
    throw makeFault(`${at}.${field}`, ownValue(settings, field) ?? null, must)
  }
  if (settings.delay_s !== undefined) requireNumber(`${at}.delay_s`, settings.delay_s, 0, DELAY_S_MAX)
  const declared = listAt(`${at}.pools`, backend.pools)
  if (declared.length === 0)
    throw makeFault(`${at}.pools`, backend.pools ?? null, 'must have at least one pool')
  const pools = await Promise.all(
    declared.map((one, i) => parsePool(`${at}.pools[${i}]`, one, settings.root)),
  )
  requireDistinct(`${at}.pools`, pools)
  return {
    name: requireName(`${at}.name`, backend.name, '@#'),
    driver,
    settings,
    pools,
    availabilityZone: requireName(`${at}.availability_zone`, backend.availability_zone ?? 'nova', ''),
    capabilities: requireObject(`${at}.capabilities`, backend.capabilities ?? {}),
  }
}

/** A pool of directories without a size has the size of its file system. */
async function parsePool(at: string, value: unknown, root: unknown): Promise<DeclaredPool> {
  const pool = requireObject(at, value)
  const total = pool.total_gb ?? (typeof root === 'string' ? await readSizeGb(root) : undefined)
  const reservedPercentage = requireNumber(`${at}.reserved_percentage`, pool.reserved_percentage ?? 0, 0, 100)
  if (reservedPercentage > 100 || !Number.isInteger(reservedPercentage))
    throw makeFault(`${at}.reserved_percentage`, reservedPercentage, 'must be a whole number from 0 to 100')
  return {
    name: requireName(`${at}.name`, pool.name, '@#/'),
    reservedPercentage,
    totalGb: Math.floor(requireNumber(`${at}.total_gb`, total ?? null, 1, AMOUNT_MAX)),
    overSubscription: requireNumber(
      `${at}.max_over_subscription_ratio`,
      pool.max_over_subscription_ratio ?? 1,
      1,
      RATIO_MAX,
    ),
    capabilities: requireObject(`${at}.capabilities`, pool.capabilities ?? {}),
  }
}

async function readSizeGb(root: string): Promise<number> {
  const { blocks, bsize } = await statfs(root)
  return Math.floor((blocks * bsize) / GB)
}

function parseType(at: string, value: unknown): DeclaredType {
  const type = requireObject(at, value)
  const specs = Object.entries(requireObject(`${at}.extra_specs`, type.extra_specs ?? {}))
  const { is_public: isPublic = true, description = null } = type
  if (typeof isPublic !== 'boolean') throw makeFault(`${at}.is_public`, isPublic, 'must be true or false')
  if (description !== null && typeof description !== 'string')
    throw makeFault(`${at}.description`, description, 'must be a text')
  const extraSpecs = specs.map(([key, spec]) => {
    if (typeof spec === 'boolean') return [key, spec ? 'True' : 'False']
    if (typeof spec !== 'string') throw makeFault(`${at}.extra_specs.${key}`, spec, 'must be a text')
    return [key, spec]
  })
  return {
    name: requireName(`${at}.name`, type.name, ''),
    description,
    isPublic,
    extraSpecs: { driver_handles_share_servers: 'False', ...Object.fromEntries(extraSpecs) },
  }
}

const makeFault = (field: string, value: unknown, what: string): Error =>
  new Error(`${field} ${what}, and is ${JSON.stringify(value)}`)

function requireObject(at: string, value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw makeFault(at, value, 'must be an object')
  return value as Json
}

function listAt(at: string, value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw makeFault(at, value, 'must be a list')
  return value
}

function requireName(at: string, value: unknown, forbidden: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 100)
    throw makeFault(at, value, 'must be a name')
  const bad = [...forbidden].find(character => value.includes(character))
  if (bad !== undefined || value.startsWith('.'))
    throw makeFault(at, value, `must not have ${bad ?? 'a dot in front'}`)
  return value
}

function requireNumber(at: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || Number.isNaN(value) || value < min || value > max)
    throw makeFault(at, value, `must be a number from ${min} to ${max}`)
  return value
}

function requireDistinct(at: string, named: readonly { readonly name: string }[]): void {
  const names = named.map(one => one.name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw makeFault(at, twice, 'must not name the same thing twice')
}
