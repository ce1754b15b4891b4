import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type CopiedFile, type KollaConfig, KollaRefused, modeOf, type Ownership } from './config.ts'

const COMMAND = '/run_command'
const ONCE = '/configured'
/** What was copied, to take away what a later configuration does not have. */
const COPIED = '/var/lib/kolla/copied.json'

type Say = (line: string) => void

/** `root` is before every path that is written, and before those of users and groups. */
export function setConfigs(root: string, config: KollaConfig, strategy: string | undefined, say: Say): void {
  if (strategy !== 'COPY_ALWAYS' && strategy !== 'COPY_ONCE')
    throw new KollaRefused(`KOLLA_CONFIG_STRATEGY is ${strategy ?? 'not set'}: COPY_ALWAYS or COPY_ONCE`)
  if (strategy === 'COPY_ONCE' && existsSync(root + ONCE)) {
    say('configured already')
    return
  }
  const ids = new Ids(root)
  for (const one of config.directories) mkdirSync(root + one.path, { recursive: true })
  for (const one of config.files) closeSync(openSync(root + one.path, 'a'))
  for (const one of [...config.directories, ...config.files]) own(root, one, ids)
  removeFormer(root, config, say)
  for (const file of config.config_files) copy(root, file, ids, say)
  writeFileSync(root + COMMAND, config.command, { mode: 0o644 })
  for (const one of config.permissions) own(root, one, ids)
  if (strategy === 'COPY_ONCE') writeFileSync(root + ONCE, '')
}

/** Pairs of what is copied and where it goes. */
function pairsOf(root: string, { source, dest, optional }: CopiedFile): { from: string; to: string }[] {
  const sources = globSync(source)
  if (sources.length === 0 && optional !== true) throw new KollaRefused(`${source} does not exist`)
  return sources.map(from => ({ from, to: root + (dest.endsWith('/') ? join(dest, basename(from)) : dest) }))
}

function copy(root: string, file: CopiedFile, ids: Ids, say: Say): void {
  for (const { from, to } of pairsOf(root, file)) {
    say(`copy ${from} to ${to}`)
    const isMerged = file.merge === true && statSync(from).isDirectory()
    if (!isMerged) rmSync(to, { recursive: true, force: true })
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to, {
      recursive: true,
      dereference: true,
      preserveTimestamps: file.preserve_properties === true,
    })
    for (const path of pathsBelow(from)) {
      const at = join(to, path)
      if (file.preserve_properties === true) keepProperties(join(from, path), at)
      else setProperties(at, ids.of(file.owner as string), file.perm)
    }
  }
}

function keepProperties(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from)
  chownSync(to, uid, gid)
  chmodSync(to, mode & 0o7777)
}

function setProperties(
  path: string,
  { uid, gid }: { uid: number; gid: number },
  perm: string | undefined,
): void {
  chownSync(path, uid, gid)
  if (perm === undefined) return
  const mode = modeOf(perm)
  // Whoever may read a directory may also enter it.
  chmodSync(path, statSync(path).isDirectory() ? mode | ((mode & 0o444) >> 2) : mode)
}

function own(root: string, { path, owner, perm, recurse, exclude = [] }: Ownership, ids: Ids): void {
  const excluded = exclude.map(one => new RegExp(one))
  for (const top of globSync(root + path)) {
    const below = recurse === true ? pathsBelow(top) : ['']
    for (const each of below) {
      const at = join(top, each)
      if (each === '' || !excluded.some(one => one.test(at))) setProperties(at, ids.of(owner), perm)
    }
  }
}

/** The path itself as `''`, and everything below it; links are not followed. */
function pathsBelow(path: string): string[] {
  if (!lstatSync(path).isDirectory()) return ['']
  const below = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    one => !one.isSymbolicLink(),
  )
  return ['', ...below.map(one => join(one.parentPath, one.name).slice(path.length + 1))]
}

function removeFormer(root: string, config: KollaConfig, say: Say): void {
  const now = config.config_files.flatMap(file => pairsOf(root, file).map(({ to }) => to))
  const former: string[] = existsSync(root + COPIED) ? JSON.parse(readFileSync(root + COPIED, 'utf8')) : []
  for (const path of former.filter(one => !now.includes(one))) {
    say(`remove ${path}`)
    rmSync(path, { recursive: true, force: true })
  }
  mkdirSync(dirname(root + COPIED), { recursive: true })
  writeFileSync(root + COPIED, JSON.stringify(now))
}

/** One line for each thing that is not as `setConfigs` would leave it. */
export function findDifferences(root: string, config: KollaConfig): string[] {
  const running = existsSync(root + COMMAND) ? readFileSync(root + COMMAND, 'utf8') : ''
  const differences = running === config.command ? [] : [`command: ${running} is not ${config.command}`]
  const ids = new Ids(root)
  const pairs = config.config_files.flatMap(file => pairsOf(root, file).map(pair => ({ ...pair, file })))
  for (const { from, to, file } of pairs)
    for (const path of pathsBelow(from)) {
      const difference = differenceOf(join(from, path), join(to, path), file, ids)
      if (difference !== null) differences.push(`${join(to, path)} ${difference}`)
    }
  const former: string[] = existsSync(root + COPIED) ? JSON.parse(readFileSync(root + COPIED, 'utf8')) : []
  const gone = former.filter(path => !pairs.some(({ to }) => to === path))
  return [...differences, ...gone.map(path => `${path} is no longer configured`)]
}

function differenceOf(from: string, to: string, file: CopiedFile, ids: Ids): string | null {
  if (!existsSync(to)) return 'is missing'
  const found = statSync(to)
  if (found.isDirectory()) return null
  if (!readFileSync(from).equals(readFileSync(to))) return `differs from ${from}`
  const source = statSync(from)
  const isKept = file.preserve_properties === true
  const mode = isKept ? source.mode & 0o7777 : modeOf(file.perm as string)
  const { uid, gid } = isKept ? source : ids.of(file.owner as string)
  if ((found.mode & 0o7777) !== mode)
    return `has mode ${(found.mode & 0o7777).toString(8)}, not ${mode.toString(8)}`
  return found.uid === uid && found.gid === gid
    ? null
    : `belongs to ${found.uid}:${found.gid}, not ${uid}:${gid}`
}

/** Users and groups by their names. */
class Ids {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** `user:group`, or `user` for the user and the group of that name. */
  of(owner: string): { uid: number; gid: number } {
    const [user = '', group = user] = owner.split(':')
    return { uid: this.#find('passwd', user), gid: this.#find('group', group) }
  }

  #find(file: 'passwd' | 'group', name: string): number {
    const lines = readFileSync(`${this.#root}/etc/${file}`, 'utf8').split('\n')
    const found = lines.map(line => line.split(':')).find(([first]) => first === name)
    if (found === undefined) throw new KollaRefused(`${name} is in no line of /etc/${file}`)
    return Number(found[2])
  }
}
