/**
 * Access rules that a real NFS server enforces: Berth writes the exports of Debian's NFS-Ganesha and makes it reload them, and
 * a libnfs client connects from two addresses. Server and client are in their own network namespace. Needs Linux, root,
 * nfs-ganesha-vfs, libnfs-utils and `npm run build` before.
 */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBuiltBerthWith } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Ganesha } from './share-nfs/ganesha.ts'
import { ShareApi } from './share-nfs/share-api.ts'

const LAB = '10.64.0.1'
const OTHER = '10.64.0.2'
/** Characters that paths can have: blanks, quotes, comments, line breaks and non-ASCII letters. */
const NASTY_POOL = 'a b"c\'d (e)\\f\té*{};$HOME'
const NASTY_ROOT = 'nasty # root'

const root = await mkdtemp(join(tmpdir(), 'berth-e2e-nfs-'))
const ganesha = await Ganesha.prepare(join(root, 'ganesha'), [LAB, OTHER])
const backend = (name: string, pool: string) => ({
  name,
  driver: 'directory',
  root: join(root, name === 'nasty' ? NASTY_ROOT : name),
  exports_file: join(root, `${name}.exports`),
  ganesha_file: ganesha.exportsFile(name),
  reload_command: ganesha.reloadCommand,
  capabilities: { paths: name === 'nasty' ? 'nasty' : 'plain' },
  pools: [{ name: pool, total_gb: 10 }],
})
const farm = {
  host: 'farm',
  default_share_type: 'plain',
  share_types: ['plain', 'nasty'].map(paths => ({ name: paths, extra_specs: { paths } })),
  backends: [backend('plain', 'p'), backend('nasty', NASTY_POOL), backend('other', 'o')],
}
for (const { root: directory } of farm.backends) await mkdir(directory)
const berth = await startBuiltBerthWith(data => writeFile(join(data, 'backends.json'), JSON.stringify(farm)))
const api = new ShareApi(`${berth.url}/share/v2`, berth.token)
const claims = new Claims(line => console.log(line))
const claim = (what: string, check: () => Promise<void>) => claims.claim(what, check)

/** The NFS server may need a moment to reload its exports. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      return await check()
    } catch (reason) {
      if (tries === 40) throw reason
      await sleep(250)
    }
}

async function makeShare(type: string): Promise<{ id: string; path: string }> {
  const id = await api.create(type)
  const path = await api.exportPath(id)
  await writeFile(join(path, 'hello.txt'), 'hello')
  return { id, path }
}

const lists = (from: string, path: string) =>
  eventually(async () => assert.match(await ganesha.list(from, path), /hello\.txt/))
const isRefused = (from: string, path: string) =>
  eventually(() => assert.rejects(ganesha.list(from, path), `${from} is let in`))

try {
  await ganesha.start()
  for (const type of ['plain', 'nasty']) {
    const { id, path } = await makeShare(type)
    await claim(`${type}: without a rule every address is refused`, () => isRefused(LAB, path))
    const rule = await api.allow(id, LAB, 'rw')
    await claim(`${type}: the address of the rule lists the files`, () => lists(LAB, path))
    await claim(`${type}: another address is refused`, () => isRefused(OTHER, path))
    await claim(`${type}: it may write`, () => ganesha.write(LAB, join(path, 'written.txt')))
    await api.allow(id, `${OTHER}/32`, 'ro')
    await claim(`${type}: a second address, read only, lists the files`, () => lists(OTHER, path))
    await claim(`${type}: and may not write`, () =>
      assert.rejects(ganesha.write(OTHER, join(path, 'refused.txt'))),
    )
    await api.deny(id, rule)
    await claim(`${type}: the first address is refused once its rule is deleted`, () => isRefused(LAB, path))
    await claim(`${type}: and the second still has access`, () => lists(OTHER, path))
    if (type === 'plain') {
      await api.migrate(id, path.startsWith(join(root, 'other')) ? 'farm@plain#p' : 'farm@other#o')
      const moved = await api.exportPath(id)
      await claim('moved: the rule still holds', () => lists(OTHER, moved))
      await claim('moved: the old place is not exported any more', () => isRefused(OTHER, path))
      await api.remove(id)
      await claim('deleted: every address is refused', () => isRefused(OTHER, moved))
    }
  }
  process.exitCode = claims.end()
} finally {
  await ganesha.stop()
  await berth.stop()
  await rm(root, { recursive: true, force: true })
}
