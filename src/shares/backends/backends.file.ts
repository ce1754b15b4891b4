import { readFile, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Json } from '../../kernel/json.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { emptyRecord } from '../../kernel/records.ts'
import type { World } from '../../world/world.ts'
import { DRIVER_KINDS } from '../drivers/open.driver.ts'
import { identityOf, realOf, requireApartFromOwn } from '../drivers/same-place.driver.ts'
import type { DeclaredBackend, DeclaredBackends, DeclaredPool, DeclaredType } from './declared-backends.ts'
import { meetingRoots, type RealRoots, rootsIn, rootsText } from './roots.ts'

/** What `backends.json` says. */
interface BackendsFile extends DeclaredBackends {
  readonly types: readonly DeclaredType[]
  readonly defaultType: string | null
}

/** Something in the file is not as it must be; one plain line. */
export class BackendsFileFault extends Error {
  override name = 'BackendsFileFault'
}

const GB = 2 ** 30
const DELAY_S_MAX = 86_400

/** Null where there is none. */
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
    return await backendsIn(JSON.parse(text), ownPaths)
  } catch (reason) {
    throw new BackendsFileFault(`${path}: ${(reason as Error).message}`)
  }
}

export async function backendsIn(value: unknown, ownPaths: readonly string[]): Promise<BackendsFile> {
  const file = objectAt('it', value)
  const host = nameAt('host', file.host, '@#')
  const backends = await Promise.all(
    listAt('backends', file.backends).map((one, at) => backendIn(`backends[${at}]`, one)),
  )
  requireDistinct('backends', backends)
  await requireOwnRoots(backends)
  for (const root of rootsOf(backends)) await requireApartFromOwn(root, ownPaths)
  const types = listAt('share_types', file.share_types).map((one, at) => typeIn(`share_types[${at}]`, one))
  requireDistinct('share_types', types)
  const defaultType = file.default_share_type ?? null
  if (defaultType !== null && typeof defaultType !== 'string')
    throw fault('default_share_type', defaultType, 'must be a name')
  return { host, backends, types, defaultType }
}

/** Where links lead counts, not what they are called. */
async function requireOwnRoots(backends: readonly DeclaredBackend[]): Promise<void> {
  const real = await realRoots(rootsOf(backends))
  const rooted = backends
    .filter(({ driver }) => driver === 'directory')
    .map(({ name, settings }) => ({ backend: name, root: real[settings.root as string] as string }))
  const met = meetingRoots(rooted)
  if (met !== null) throw new Error(rootsText(...met))
}

type Rooted = Pick<DeclaredBackend, 'driver' | 'settings'>

const rootsOf = (backends: readonly Rooted[]): string[] =>
  backends.flatMap(({ driver, settings }) => (driver === 'directory' ? [settings.root as string] : []))

/** For the back ends of a file and for those that there are: some of them stay though no file has them any more. */
export const realRootsOf = (
  world: World,
  { backends }: { readonly backends: readonly Rooted[] },
): Promise<RealRoots> => realRoots([...rootsIn(world), ...rootsOf(backends)])

/** The back ends that the store has, whichever file they were declared in. */
export async function requireRootsApart(world: World, ownPaths: readonly string[]): Promise<void> {
  for (const root of rootsIn(world))
    await requireApartFromOwn(root, ownPaths).catch((reason: Error) => {
      throw new BackendsFileFault(`a share back end in the store is refused: ${reason.message}`)
    })
}

/** One directory that is mounted twice has one of its names. */
async function realRoots(roots: readonly string[]): Promise<RealRoots> {
  const names = new Map<string, string>()
  const real: Record<string, string> = emptyRecord()
  for (const root of roots) {
    const path = await realOf(resolve(root)).catch(() => resolve(root))
    const id = (await identityOf(path).catch(() => null)) ?? path
    if (!names.has(id)) names.set(id, path)
    real[root] = names.get(id) as string
  }
  return real
}

const KNOWN = ['name', 'driver', 'availability_zone', 'capabilities', 'pools']

/** Whatever else a back end says is for its driver. */
async function backendIn(at: string, value: unknown): Promise<DeclaredBackend> {
  const backend = objectAt(at, value)
  const driver = backend.driver ?? 'simulated'
  if (typeof driver !== 'string' || !DRIVER_KINDS.includes(driver))
    throw fault(`${at}.driver`, driver, `must be one of ${DRIVER_KINDS.join(', ')}`)
  const settings = Object.fromEntries(Object.entries(backend).filter(([key]) => !KNOWN.includes(key)))
  if (driver === 'directory' && (typeof settings.root !== 'string' || !settings.root.startsWith('/')))
    throw fault(`${at}.root`, settings.root ?? null, 'must be the absolute path of a directory')
  if (settings.delay_s !== undefined) numberAt(`${at}.delay_s`, settings.delay_s, 0, DELAY_S_MAX)
  const declared = listAt(`${at}.pools`, backend.pools)
  if (declared.length === 0) throw fault(`${at}.pools`, backend.pools ?? null, 'must have at least one pool')
  const pools = await Promise.all(declared.map((one, i) => poolIn(`${at}.pools[${i}]`, one, settings.root)))
  requireDistinct(`${at}.pools`, pools)
  return {
    name: nameAt(`${at}.name`, backend.name, '@#'),
    driver,
    settings,
    pools,
    availabilityZone: nameAt(`${at}.availability_zone`, backend.availability_zone ?? 'nova', ''),
    capabilities: objectAt(`${at}.capabilities`, backend.capabilities ?? {}),
  }
}

/** A pool of directories that does not say how large it is is as large as its file system. */
async function poolIn(at: string, value: unknown, root: unknown): Promise<DeclaredPool> {
  const pool = objectAt(at, value)
  const total = pool.total_gb ?? (typeof root === 'string' ? await sizeGbOf(root) : undefined)
  const reservedPercentage = numberAt(`${at}.reserved_percentage`, pool.reserved_percentage ?? 0, 0, 100)
  if (reservedPercentage > 100 || !Number.isInteger(reservedPercentage))
    throw fault(`${at}.reserved_percentage`, reservedPercentage, 'must be a whole number from 0 to 100')
  return {
    name: nameAt(`${at}.name`, pool.name, '@#/'),
    reservedPercentage,
    totalGb: Math.floor(numberAt(`${at}.total_gb`, total ?? null, 1, AMOUNT_MAX)),
    overSubscription: numberAt(
      `${at}.max_over_subscription_ratio`,
      pool.max_over_subscription_ratio ?? 1,
      1,
      RATIO_MAX,
    ),
    capabilities: objectAt(`${at}.capabilities`, pool.capabilities ?? {}),
  }
}

async function sizeGbOf(root: string): Promise<number> {
  const { blocks, bsize } = await statfs(root)
  return Math.floor((blocks * bsize) / GB)
}

function typeIn(at: string, value: unknown): DeclaredType {
  const type = objectAt(at, value)
  const specs = Object.entries(objectAt(`${at}.extra_specs`, type.extra_specs ?? {}))
  const { is_public: isPublic = true, description = null } = type
  if (typeof isPublic !== 'boolean') throw fault(`${at}.is_public`, isPublic, 'must be true or false')
  if (description !== null && typeof description !== 'string')
    throw fault(`${at}.description`, description, 'must be a text')
  const extraSpecs = specs.map(([key, spec]) => {
    if (typeof spec === 'boolean') return [key, spec ? 'True' : 'False']
    if (typeof spec !== 'string') throw fault(`${at}.extra_specs.${key}`, spec, 'must be a text')
    return [key, spec]
  })
  return {
    name: nameAt(`${at}.name`, type.name, ''),
    description,
    isPublic,
    extraSpecs: { driver_handles_share_servers: 'False', ...Object.fromEntries(extraSpecs) },
  }
}

const fault = (field: string, value: unknown, what: string): Error =>
  new Error(`${field} ${what}, and is ${JSON.stringify(value)}`)

function objectAt(at: string, value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(at, value, 'must be an object')
  return value as Json
}

function listAt(at: string, value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw fault(at, value, 'must be a list')
  return value
}

function nameAt(at: string, value: unknown, forbidden: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 100)
    throw fault(at, value, 'must be a name')
  const bad = [...forbidden].find(character => value.includes(character))
  if (bad !== undefined || value.startsWith('.'))
    throw fault(at, value, `must not have ${bad ?? 'a dot in front'}`)
  return value
}

function numberAt(at: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || Number.isNaN(value) || value < min || value > max)
    throw fault(at, value, `must be a number from ${min} to ${max}`)
  return value
}

function requireDistinct(at: string, named: readonly { readonly name: string }[]): void {
  const names = named.map(one => one.name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw fault(at, twice, 'must not name the same thing twice')
}
