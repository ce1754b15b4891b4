/**
 * Drives a built Berth with the real `glance` client and asserts on what that prints.
 * Needs python3-glanceclient, and `npm run build` before.
 */
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Glance } from './catalog-client/glance.ts'
import {
  importing,
  namespaces,
  objects,
  properties,
  resourceTypes,
  type Story,
  tags,
} from './catalog-client/stories.ts'
import { Claims } from './claims.ts'

const stories: Readonly<Record<string, Story>> = {
  namespaces,
  properties,
  objects,
  tags,
  resourceTypes,
  importing,
}

const berth = await startBuiltBerth()
const glance = await Glance.at(`${berth.url}/image`, berth.token)
const claims = new Claims(line => console.log(line))
try {
  for (const [name, story] of Object.entries(stories)) {
    console.log(name)
    await claims.claim('ends without an error', () => story({ glance, claims }))
  }
  process.exitCode = claims.end()
} finally {
  await glance.end()
  await berth.stop()
}
