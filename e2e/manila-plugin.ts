/**
 * Berth's plug-in inside a real Manila, beside Manila's own filters of hints on the same requests.
 *
 *   node e2e/manila-plugin.ts [--stand DIRECTORY] [--way upstream|driver|filter ...] [--story WORDS ...] [--logs DIRECTORY]
 *
 * upstream: AffinityFilter and AntiAffinityFilter. driver: BerthScheduler. filter: BerthFilter and BerthWeigher. The last two with Berth's
 * share API in manila-api. Each runs all stories in a Manila of its own; a table at the end compares them.
 *
 * Needs the stand of ../shared, and Debian's manila-api, manila-scheduler, manila-share, mariadb-server, python3-pymysql, python3-pip and
 * python3-wheel. It takes about ten minutes.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfNeeded, startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Manila } from './manila-plugin/manila.ts'
import { STORIES, type Story } from './manila-plugin/stories.ts'

const WAYS = ['upstream', 'driver', 'filter'] as const
type Way = (typeof WAYS)[number]

const { values: options } = parseArgs({
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/manila', import.meta.url)) },
    way: { type: 'string', multiple: true, default: [...WAYS] },
    story: { type: 'string', multiple: true, default: [''] },
    logs: { type: 'string' },
  },
})
if (!existsSync(join(options.stand, 'manila_aio.py'))) {
  console.error(`there is no stand at ${options.stand}: name its directory with --stand`)
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const work = await mkdtemp(join(tmpdir(), 'manila-plugin-'))
const stand = join(work, 'stand')
const packages = join(work, 'packages')
const claims = new Claims(line => console.log(line))
/** The stand keeps its database there. */
const SOCKET = '/dev/shm/manila-db/s.sock'

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: work })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** A copy, because the stand writes beside itself; with the filter of `force` in the pipeline that it makes. */
async function prepareStand(): Promise<void> {
  await cp(options.stand, stand, { recursive: true })
  run(join(stand, 'db_up.sh'))
  run(join(stand, 'make_template.sh'))
  const script = await readFile(join(stand, 'manila_aio.py'), 'utf8')
  const forced = script
    .replaceAll('farmauth keystonecontext apiv2', 'farmauth keystonecontext berthforce apiv2')
    .replace(
      'paste.filter_factory = farmauth:FarmAuth.factory\\n',
      '$&[filter:berthforce]\\npaste.filter_factory = berth_openstack.manila_api:ForceMiddleware.factory\\n',
    )
  assert.equal(forced.split('berthforce').length, 3, 'the stand makes its paste file in another way')
  await cp(stand, `${stand}-forced`, { recursive: true })
  await writeFile(join(`${stand}-forced`, 'manila_aio.py'), forced)
}

/** As `apt install` or `pip install` would, with the entry points. */
async function installPlugin(): Promise<void> {
  await mkdir(packages)
  const wheel = run(join(root, 'packaging/openstack/build.sh'), '--out', work).trim().split('\n').at(-1) ?? ''
  run('/usr/bin/python3', '-m', 'zipfile', '-e', wheel, packages)
}

const FILTERS =
  'OnlyHostFilter,AvailabilityZoneFilter,CapacityFilter,CapabilitiesFilter,DriverFilter,ShareReplicationFilter,CreateFromSnapshotFilter'

const SETTINGS: Readonly<Record<Way, readonly string[]>> = {
  upstream: [],
  driver: ['scheduler_driver = berth_openstack.manila.BerthScheduler'],
  filter: [
    `scheduler_default_filters = ${FILTERS},BerthFilter`,
    'scheduler_default_weighers = CapacityWeigher,GoodnessWeigher,HostAffinityWeigher,BerthWeigher',
  ],
}

let running: Manila | null = null
// Without its Manila a run comes to its end, and cleans up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void running?.stop())

interface Seen {
  readonly story: Story
  readonly byWay: Map<Way, string>
}

async function tryWay(way: Way, seen: readonly Seen[]): Promise<void> {
  const berth = await startBuiltBerth()
  const plugin = [
    ...SETTINGS[way],
    'share_api_class = berth_openstack.manila_api.ShareAPI',
    '[berth]',
    `url = ${berth.url}`,
    `token = ${berth.token}`,
    // A busy machine is no failure here.
    'timeout = 60',
  ]
  const directory = join(work, way)
  console.log(`${way}:`)
  const manila = await Manila.start(
    way === 'upstream' ? stand : `${stand}-forced`,
    directory,
    packages,
    way === 'upstream' ? [] : plugin,
  )
  running = manila
  try {
    for (const { story, byWay } of seen) {
      const found = await story.run(manila).catch((error: Error) => `broken: ${error.message.split('\n')[0]}`)
      byWay.set(way, found)
      const isPromised = way === 'driver' || (way === 'filter' && story.needsDriver !== true)
      if (isPromised)
        await claims.claim(`${story.name}: ${story.wants}`, async () => assert.equal(found, story.wants))
      else console.log(`          ${story.name}: ${found}`)
    }
    if (way !== 'upstream')
      await claims.claim('decisions are found by request id and share', () => checkDecisions(manila, berth))
  } finally {
    await manila.stop()
    await berth.stop()
    if (options.logs !== undefined)
      await cp(join(directory, 'manila.log'), join(options.logs, `${way}.log`)).catch(() => undefined)
  }
}

async function checkDecisions(
  manila: Manila,
  berth: { readonly url: string; readonly token: string },
): Promise<void> {
  const a = await manila.create({}, 'on-a1')
  const refused = await manila.tryCreate({ different_host: a.id }, 'on-alpha')
  assert.equal(await manila.settle(refused.json.share.id), 'error')
  for (const query of [`request_id=${refused.requestId}`, `share=${refused.json.share.id}`]) {
    const answer = await fetch(`${berth.url}/v1/decisions?${query}`, {
      headers: { 'x-auth-token': berth.token },
    })
    const { decisions } = (await answer.json()) as { decisions: { outcome: string; reason: string }[] }
    assert.equal(decisions.length, 1, query)
    assert.equal(decisions[0]?.outcome, 'refused')
    assert.ok(decisions[0]?.reason.includes(a.id), decisions[0]?.reason)
  }
}

function printTable(seen: readonly Seen[], ways: readonly Way[]): void {
  console.log(`\n| request | the document | ${ways.join(' | ')} |\n|${' --- |'.repeat(ways.length + 2)}`)
  for (const { story, byWay } of seen)
    console.log(`| ${story.name} | ${story.wants} | ${ways.map(way => byWay.get(way) ?? '').join(' | ')} |`)
}

const hadDatabase = existsSync(SOCKET)
try {
  buildIfNeeded()
  await prepareStand()
  await installPlugin()
  const ways = WAYS.filter(way => options.way.includes(way))
  const seen = STORIES.filter(({ name }) => options.story.some(words => name.includes(words))).map(story => ({
    story,
    byWay: new Map<Way, string>(),
  }))
  for (const way of ways) await tryWay(way, seen)
  printTable(seen, ways)
  process.exitCode = claims.end()
} finally {
  if (!hadDatabase) spawnSync('mariadb-admin', ['-S', SOCKET, '-uroot', 'shutdown'])
  await rm(work, { recursive: true, force: true })
}
