/**
 * Berth's plug-in inside the scheduler of a real Nova, on a built Berth in the place of Placement.
 *
 *   node e2e/nova-plugin.ts [--stand DIRECTORY] [--part check|use-cases|groups|latency ...] [--logs DIRECTORY]
 *
 * check: the stand passes with the plug-in. use-cases: those of the document of the aggregate instance type filter, as
 * flavors and aggregates of Nova, each refused boot explained by its request id. groups: 40 boots at once into an anti-affinity group over 8 hosts without the late check of nova-compute,
 * with the plug-in and without. latency: what a call adds to a scheduling run with 1,000 hosts.
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing; `npm run build` before. It takes some
 * minutes, and ports from STAND_PORT_BASE (18800) on.
 */
import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { bootIntoGroup } from './nova-plugin/groups.ts'
import { Nova } from './nova-plugin/nova.ts'
import { USE_CASES } from './nova-plugin/use-cases.ts'
import { Stand, standOption } from './stand.ts'

const PARTS = ['check', 'use-cases', 'groups', 'latency']
const COMPUTES = 8
const BOOTS = 40
const VCPUS_OF_NO_HOST = 5_000
/** `key` is no capability of a host, so ComputeCapabilitiesFilter would refuse the flavors of the document. */
const NOVA_FILTERS =
  'ComputeFilter,ImagePropertiesFilter,ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter,PciPassthroughFilter'
const CAPABILITIES = 'ComputeCapabilitiesFilter'

const { values: options } = parseArgs({
  options: {
    stand: standOption,
    part: { type: 'string', multiple: true, default: PARTS },
    logs: { type: 'string' },
  },
})
const { part: parts } = options
const stand = await Stand.open(options.stand, {
  PYTHONPATH: fileURLToPath(new URL('../integrations/openstack', import.meta.url)),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONWARNINGS: 'ignore',
})
const claims = new Claims(line => console.log(line))
const berth = await startBuiltBerth()

/** The stand rewrites the files at each start; the last of several values counts. */
const configure = (service: string, lines: readonly string[]) =>
  appendFile(join(stand.runDirectory, 'etc', `${service}.conf`), `${lines.join('\n')}\n`)

async function configureScheduler(filters: string): Promise<void> {
  await configure('scheduler', [
    '[filter_scheduler]',
    'available_filters = nova.scheduler.filters.all_filters',
    'available_filters = berth_openstack.nova.BerthFilter',
    `enabled_filters = ${filters}`,
    '[berth]',
    `url = ${berth.url}`,
    'auth_section = placement',
  ])
  assert.equal((await stand.runScript('ctl.sh', ['restart', 'scheduler'])).code, 0)
}

async function check(): Promise<void> {
  await stand.start(berth, 4)
  await configureScheduler(`${NOVA_FILTERS},${CAPABILITIES},BerthFilter`)
  await claims.claim('the stand passes with the plug-in', () => stand.check())
  await claims.claim('Berth was asked about its boots', async () => {
    const { decisions } = await new Nova('', [], berth).askBerth('/v1/decisions?kind=nova-filter&limit=1000')
    assert.ok(decisions.length > 50, `${decisions.length} decisions`)
  })
}

async function tryUseCases(nova: Nova): Promise<void> {
  await configureScheduler(`${NOVA_FILTERS},BerthFilter`)
  await nova.waitForScheduler()
  for (const useCase of USE_CASES)
    await claims.claim(`use case ${useCase.name}`, async () => {
      const aggregates = await nova.makeAggregates(useCase.aggregates)
      try {
        for (const [specs, places] of useCase.boots) {
          const found = await nova.findHostsFor(specs, aggregates)
          assert.deepEqual(found, places, `${JSON.stringify(specs)} lands on ${found}`)
        }
      } finally {
        await nova.removeAggregates(aggregates)
      }
    })
}

async function tryTooBig(nova: Nova): Promise<void> {
  await claims.claim('a boot for which Placement finds nothing is explained by its request id', async () => {
    const id = await nova.boot(await nova.makeFlavor({}, VCPUS_OF_NO_HOST))
    const [server] = await nova.settle([id])
    assert.equal(server.status, 'ERROR')
    assert.match(server.fault.message, /No valid host was found/)
    const explained = await nova.explain([await nova.findRequestId(id)], 1)
    console.log(explained)
    assert.match(explained, /Placement found no candidate; blocked by 5000 of VCPU/)
    assert.match(explained, /Any one of these would give a candidate:\n {2}Ask for/)
    await nova.remove([id])
  })
}

async function tryGroups(nova: Nova): Promise<void> {
  for (const host of nova.hosts) {
    await configure(host, ['[workarounds]', 'disable_group_policy_check_upcall = true'])
    await stand.runScript('ctl.sh', ['restart', host])
  }
  for (const withPlugin of [false, true]) {
    await configureScheduler(withPlugin ? `${NOVA_FILTERS},BerthFilter` : NOVA_FILTERS)
    await nova.waitForScheduler()
    const { byHost, placed, explained } = await bootIntoGroup(nova, BOOTS, withPlugin)
    const counts = nova.hosts.map(host => `${host} ${byHost.get(host) ?? 0}`).join(', ')
    console.log(`${withPlugin ? 'with' : 'without'} the plug-in: ${placed} of ${BOOTS} placed: ${counts}`)
    if (withPlugin)
      await claims.claim('40 boots at once: never two on one host, and as many as hosts', async () => {
        assert.equal(Math.max(...byHost.values()), 1)
        assert.equal(placed, nova.hosts.length)
      })
    if (withPlugin)
      await claims.claim('every boot that found no host is explained by its request id', async () => {
        assert.equal(explained.length, BOOTS - placed)
        const byClaim = explained.filter(
          text => text.includes('A claim: refused') && text.includes('Server group'),
        )
        console.log(
          `${byClaim.length} of ${explained.length} had a claim that the server group does not allow`,
        )
        assert.ok(byClaim.length > 0)
        console.log(byClaim[0])
      })
  }
}

async function measure(): Promise<void> {
  await claims.claim('the time that a call adds with 1,000 hosts', async () => {
    const script = fileURLToPath(new URL('nova-plugin/latency.py', import.meta.url))
    const { code } = await stand.run('/usr/bin/python3', [script, berth.url, berth.token])
    assert.equal(code, 0)
  })
}

try {
  if (parts.includes('check')) await check()
  if (parts.includes('use-cases') || parts.includes('groups')) {
    const nova = await stand.start(berth, COMPUTES)
    if (parts.includes('use-cases')) {
      await tryUseCases(nova)
      await tryTooBig(nova)
    }
    if (parts.includes('groups')) await tryGroups(nova)
  }
  if (parts.includes('latency')) await measure()
  process.exitCode = claims.end()
} finally {
  await stand.end(options.logs)
  await berth.stop()
}
