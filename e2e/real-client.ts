/**
 * Drives a built Berth with the real `openstack` client and asserts on what that prints.
 * Needs python3-openstackclient and python3-osc-placement, and `npm run build` before.
 */
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
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
  const claims = new Claims(line => console.log(line))
  await tell(stories, server, claims)
  process.exitCode = claims.end()
} finally {
  await berth.stop()
}
