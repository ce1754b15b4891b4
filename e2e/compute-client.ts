/**
 * Drives a built Berth with the real `openstack` client and its compute commands, and asserts on what that prints.
 * Needs python3-openstackclient, and `npm run build` before.
 */
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { aggregates, flavors, groups, hosts, type Story, services, zones } from './compute-client/stories.ts'
import { Openstack } from './real-client/openstack.ts'

const stories: Readonly<Record<string, Story>> = { flavors, aggregates, groups, hosts, services, zones }

const berth = await startBuiltBerth()
const endpoint = `${berth.url}/compute/v2.1`
/** The client uses the given version. */
const at = (version: string) =>
  new Openstack({ endpoint, token: berth.token, variables: { OS_COMPUTE_API_VERSION: version } }, '1.39')
const clients = { plain: at('2.1'), newest: at('2.92') }
const claims = new Claims(line => console.log(line))

async function addHost(name: string): Promise<void> {
  const answer = await fetch(`${berth.url}/v1/hosts`, {
    method: 'POST',
    headers: { 'x-auth-token': berth.token, 'content-type': 'application/json' },
    body: JSON.stringify({ name, inventories: { VCPU: { total: 8 }, MEMORY_MB: { total: 1024 } } }),
  })
  if (answer.status !== 201) throw new Error(`${name} was not added: ${await answer.text()}`)
}

try {
  await addHost('compute-1')
  await addHost('compute-2')
  for (const [name, story] of Object.entries(stories)) {
    console.log(name)
    const claim = (what: string, check: () => Promise<void>) => claims.claim(what, check)
    await claim('ends without an error', () => story({ ...clients, claim }))
  }
  process.exitCode = claims.end()
} finally {
  await Promise.all(Object.values(clients).map(client => client.close()))
  await berth.stop()
}
