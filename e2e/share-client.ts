/**
 * Drives a built Berth with the real `openstack share …` and `manila` clients, and asserts on what they print.
 * Needs python3-openstackclient and python3-manilaclient, and `npm run build` before.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBuiltBerthWith } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Openstack } from './real-client/openstack.ts'
import { access } from './share-client/access-story.ts'
import { Manila } from './share-client/manila.ts'
import {
  failures,
  hints,
  manila,
  moves,
  type Story,
  shares,
  snapshots,
  types,
} from './share-client/stories.ts'

const stories: Readonly<Record<string, Story>> = {
  types,
  shares,
  access,
  hints,
  moves,
  snapshots,
  failures,
  manila,
}

const root = await mkdtemp(join(tmpdir(), 'berth-e2e-shares-'))
for (const name of ['beta', 'delta']) await mkdir(join(root, name))
const farm = {
  host: 'farm',
  default_share_type: 'default',
  share_types: [
    {
      name: 'default',
      extra_specs: { snapshot_support: 'True', create_share_from_snapshot_support: 'True' },
    },
    { name: 'on-beta', extra_specs: { share_backend_name: 'beta' } },
    { name: 'disks', extra_specs: { kind: 'disk' } },
  ],
  backends: [
    { name: 'alpha', pools: [{ name: 'a1', total_gb: 100 }] },
    ...['beta', 'delta'].map(name => ({
      name,
      driver: 'directory',
      root: join(root, name),
      capabilities: { kind: 'disk' },
      pools: [{ name: `${name}1`, total_gb: 50 }],
    })),
  ],
}
const berth = await startBuiltBerthWith(data => writeFile(join(data, 'backends.json'), JSON.stringify(farm)))
const endpoint = `${berth.url}/share/v2`
const openstack = new Openstack({ endpoint, token: berth.token }, '1.39')
const claims = new Claims(line => console.log(line))

try {
  for (const [name, story] of Object.entries(stories)) {
    console.log(name)
    const claim = (what: string, check: () => Promise<void>) => claims.claim(what, check)
    await claim('ends without an error', () =>
      story({ openstack, manila: new Manila(endpoint, berth.token), root, claim }),
    )
  }
  process.exitCode = claims.end()
} finally {
  await openstack.close()
  await berth.stop()
  await rm(root, { recursive: true, force: true })
}
