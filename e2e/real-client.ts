/**
 * Drives a built Berth with the real `openstack` client and asserts on what that prints.
 * Needs python3-openstackclient and python3-osc-placement, and `npm run build` before.
 */
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { aggregates } from './real-client/aggregates.ts'
import { allocations } from './real-client/allocations.ts'
import { candidates } from './real-client/candidates.ts'
import { classes } from './real-client/classes.ts'
import { inventories } from './real-client/inventories.ts'
import { providers } from './real-client/providers.ts'
import { replacing } from './real-client/replacing.ts'
import { shell } from './real-client/shell.ts'
import { tell } from './real-client/story.ts'
import { traits } from './real-client/traits.ts'

const stories = {
  shell,
  classes,
  traits,
  providers,
  inventories,
  aggregates,
  allocations,
  candidates,
  replacing,
}

const berth = await startBuiltBerth()
try {
  const server = { endpoint: `${berth.url}/placement`, token: berth.token }
  const { passed, failed } = await tell(stories, server, line => console.log(line))
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await berth.stop()
}
