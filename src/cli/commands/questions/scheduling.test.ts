/** The scheduling commands, against a real server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Berth, uuid } from '../../../../test/running-berth.ts'
import { DECLARED } from '../../../../test/three-hosts.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let berth: Berth

async function start(): Promise<void> {
  berth = await Berth.start()
  await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
}

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])
const json = async (...args: string[]) => (await at(...args, '--json')).json
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g
const masked = (text: string) => text.replaceAll(UUID, 'UUID')

describe('what is asked is done', () => {
  beforeEach(start)
  afterEach(() => berth.end())

  describe('schedule', () => {
    test('prints where the servers are, what they take and where else they could be', async () => {
      const { exitCode, out, err } = await at('schedule', 'm1.half', '--count', '2', '--zone', 'east')
      expect([exitCode, err]).toEqual([0, ''])
      expect(masked(out)).toBe(`2 servers placed decision UUID

SERVER                                HOST   TAKES                               ALTERNATES
UUID  alpha  VCPU 4, MEMORY_MB 8192, DISK_GB 20  beta
UUID  beta   VCPU 4, MEMORY_MB 8192, DISK_GB 20  alpha

2 hosts with room; 2 passed every filter; best: alpha (3.000), beta (3.000)
`)
    })

    test('aggregates, server groups and providers go by name', async () => {
      const group = { server_group: { name: 'apart', policies: ['anti-affinity'] } }
      const made = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
        method: 'POST',
        headers: { 'x-auth-token': 'root:ops:admin', 'content-type': 'application/json' },
        body: JSON.stringify(group),
      })
      expect(made.status).toBe(200)
      const raw = ['schedule', '--resources', 'VCPU=1', '--dry-run']
      const [aggregate] = (await json('host-aggregate', 'list')) as [{ name: string; hosts: string[] }]
      const named = await json(...raw, '--member-of', aggregate.name, '--server-group', 'apart')
      expect(aggregate.hosts).toContain(named.placed[0].host)
      const tree = await json(
        'schedule',
        '--request-group',
        '_A',
        'resources=VCPU:1',
        'in_tree=beta',
        '--dry-run',
      )
      expect(tree.placed[0].host).toBe('beta')
      await at('host-aggregate', 'create', 'one, two')
      await at('host-aggregate', 'add-host', 'one, two', 'beta')
      expect((await json(...raw, '--member-of', 'one, two')).placed[0].host).toBe('beta')
      expect(await at(...raw, '--member-of', 'in:none')).toMatchObject({
        exitCode: exitCodes.missing,
        err: 'berth: there is no host aggregate none\n',
      })
      expect(await at(...raw, '--server-group', 'none')).toMatchObject({
        exitCode: exitCodes.missing,
        err: 'berth: there is no server group none\n',
      })
    })

    test('nothing fits is the same exit code with --dry-run', async () => {
      expect((await at('schedule', '--resources', 'VCPU=9999', '--dry-run')).exitCode).toBe(exitCodes.nothing)
      expect((await at('candidates', '--resources', 'VCPU=9999')).exitCode).toBe(exitCodes.nothing)
    })

    test('takes a flavor that does not exist, raw resources, hints, an image and a host', async () => {
      const flavor = ['--vcpus', '1', '--ram', '1', '--disk', '1']
      const hdd = await json('schedule', ...flavor, '--spec', 'disk=hdd', '--dry-run', '--alternates', '0')
      expect(hdd).toMatchObject({ dry_run: true, placed: [{ host: 'alpha', alternates: [] }] })
      const raw = await json(
        ...['schedule', '--resources', 'VCPU=1,MEMORY_MB:2', '--request-group', '_D', 'resources=DISK_GB:3'],
        ...['--host', 'gamma', '--instance', uuid(70), '--project', 'p', '--user', 'u'],
      )
      expect(raw.placed[0]).toMatchObject({
        instance: uuid(70),
        host: 'gamma',
        allocations: { [uuid(3)]: { VCPU: 1, MEMORY_MB: 2, DISK_GB: 3 } },
      })
      const near = await json('schedule', ...flavor, '--hint', `same_host=${uuid(70)}`)
      expect(near.placed[0].host).toBe('gamma')
      const away = await json(
        'schedule',
        ...flavor,
        '--hint',
        `different_host=${uuid(70)}`,
        '--ignore-host',
        'alpha',
      )
      expect(away.placed[0].host).toBe('beta')
      const odd = await at('schedule', ...flavor, '--image-property', 'hw_architecture=aarch64')
      expect(odd).toMatchObject({ exitCode: exitCodes.nothing, out: '' })
      const colour = await at('schedule', ...flavor, '--hint', 'colour=red', '--hint', 'colour=blue')
      expect(colour.err).toBe('berth: warning: No filter or weigher of this server reads the hint colour.\n')
    })

    test('says that no host will do, and where to ask why', async () => {
      const { exitCode, out, err } = await at('schedule', 'fast')
      expect([exitCode, out]).toEqual([exitCodes.nothing, ''])
      expect(masked(err)).toBe(
        'berth: No host fits: 3 hosts have room; AggregateInstanceTypeFilter removed 3.\n' +
          "berth: decision UUID; 'berth explain schedule' with the same options says why\n",
      )
    })
  })

  test('a refused move is found by its server and explained', async () => {
    const [{ instance }] = (await json('schedule', 'm1.half', '--zone', 'east')).placed
    const asked = ['move', instance, '--host', 'gamma', '--flavor', 'm1.huge']
    const refused = await at(...asked, '--hint', `different_host=${uuid(70)}`)
    expect(refused.exitCode).toBe(exitCodes.nothing)
    const explain = ['explain', 'schedule', 'm1.huge', '--server', instance, '--host', 'gamma']
    expect(refused.err).toContain(`'berth ${explain.join(' ')}' with the other options says why`)
    expect((await at(...explain)).out).toMatch(/^No host fits: /)
    expect((await at('explain', 'schedule', '--server', instance, '--any-zone')).exitCode).toBe(0)
    const [found] = await json('decision', 'list', '--instance', instance, '--outcome', 'refused')
    expect(found).toMatchObject({
      kind: 'move',
      asked: { instances: [instance], flavor: 'm1.huge', host: 'gamma' },
    })
    const { out } = await at('decision', 'show', found.id)
    expect(out).toMatch(/flavor +m1.huge\nzone +east\non host +gamma\nhint different_host +/)
    expect(out).toMatch(/refused because +No host fits: /)
    const replayed = await at('decision', 'replay', found.id)
    expect(replayed.out).toMatch(/^Same result: refused\n\nNo host fits: [^{]*$/)
    const explained = await json('explain', 'schedule', '--server', instance, '--host', 'gamma')
    expect(explained.reports.map((one: { host: string }) => one.host)).toContain('gamma')
    expect((await at(...asked)).err).toContain(`'berth ${explain.join(' ')}' says why`)
  })

  test('a cloud without hosts says so', async () => {
    const empty = await Berth.start()
    const ask = (...args: string[]) => run([...args, '--url', empty.server.url, '--token', 'root:ops:admin'])
    const size = ['--vcpus', '1', '--ram', '1', '--disk', '1']
    expect((await ask('explain', 'schedule', ...size)).out).toContain(
      'No host fits: there are no hosts at all',
    )
    expect((await ask('explain', '--resources', 'VCPU=1')).out).toContain(
      'there are no resource providers at all',
    )
    await empty.end()
  })

  describe('move and rebuild', () => {
    test('move a server, keep its old place, and ask about its image', async () => {
      const [{ instance }] = (await json('schedule', 'half', '--zone', 'east')).placed
      const moved = await at('move', instance, '--any-zone', '--host', 'gamma', '--keep-source')
      expect(moved.exitCode).toBe(0)
      expect(moved.out).toContain('gamma')
      expect(moved.err).toMatch(/holds the old allocations until you delete them/)
      const grown = await json('move', instance, '--flavor', 'fast', '--allow-same-host', '--dry-run')
      expect(grown).toBeNull()
      const refused = await at('move', instance, '--zone', 'nowhere')
      expect(refused.exitCode).toBe(exitCodes.nothing)
      const rebuilt = await at('rebuild', instance, '--image-id', 'i')
      expect(rebuilt.out).toBe(`${instance} may be rebuilt on gamma\n`)
      const wrong = await at('rebuild', instance, '--image-property', 'hw_architecture=aarch64')
      expect([wrong.exitCode, wrong.out]).toEqual([exitCodes.nothing, ''])
      expect(wrong.err).toContain('ImagePropertiesFilter')
      expect((await at('rebuild', instance)).exitCode).toBe(exitCodes.usage)
      expect((await at('move', uuid(9))).exitCode).toBe(exitCodes.missing)
    })
  })

  describe('explain', () => {
    test('of a schedule: the histogram, the funnels, what would help, and the hosts', async () => {
      const { exitCode, out } = await at('explain', 'schedule', 'fast', '--zone', 'east')
      expect(exitCode).toBe(0)
      expect(
        masked(out).replace(/revision \d+/, 'revision N'),
      ).toBe(`No host fits: of 3 hosts, 2 with room, 0 passing every filter at revision N

Reasons, over the 2 hosts with room:
FILTER                       REASON               KEY   HOSTS  ALONE
AggregateInstanceTypeFilter  extra-spec.mismatch  disk      1      1  ██████████
AggregateInstanceTypeFilter  extra-spec.missing   disk      1      1  ██████████

The filters:
FILTER                         HOSTS  REMOVED FOR
ComputeFilter                  2 → 2
ComputeCapabilitiesFilter      2 → 2
ImagePropertiesFilter          2 → 2
ServerGroupAntiAffinityFilter  2 → 2
ServerGroupAffinityFilter      2 → 2
AvailabilityZoneFilter         2 → 2
SameHostFilter                 2 → 2
DifferentHostFilter            2 → 2
AggregateInstanceTypeFilter    2 → 0  extra-spec.mismatch (1), extra-spec.missing (1)

What Placement has room for:
CONSTRAINT                                      PROVIDERS  TREES  VERDICT
1 of VCPU                                           3 → 3  3 → 3  innocent
512 of MEMORY_MB                                    3 → 3  3 → 3  innocent
1 of DISK_GB                                        3 → 3  3 → 3  innocent
member of UUID      3 → 2  3 → 2  narrows
root without trait COMPUTE_STATUS_DISABLED          2 → 2  2 → 2  innocent

What would help:
  Set disk=hdd in the flavor: 1 host would do.
    berth flavor set m1.fast disk=hdd
  Drop disk=ssd from the flavor: 2 hosts would do.
    berth flavor unset m1.fast disk
  Set disk=ssd on host aggregate "disks" (for alpha).
    berth host-aggregate set disks disk=ssd
  Add beta to a host aggregate with disk=ssd.

Hosts:
  alpha  refused
    AggregateInstanceTypeFilter: the flavor asks for disk = "ssd", but the host has "hdd" from aggregate disks.
  beta  refused
    AggregateInstanceTypeFilter: the flavor asks for disk = "ssd", but no aggregate of the host has it.
  gamma  no room
    gamma: is not in aggregate UUID
    AvailabilityZoneFilter: the request asks for zone "east", but the host is in nova.
    AggregateInstanceTypeFilter: the flavor asks for disk = "ssd", but no aggregate of the host has it.
`)
    })

    test('of a schedule that works: what each weigher gave', async () => {
      await at('schedule', 'half', '--host', 'beta')
      const { out } = await at('explain', 'schedule', 'half', '--hosts', '1')
      expect(out).toContain('3 hosts fit')
      expect(out).toMatch(/alpha {2}passes, weight 3\.\d+ = RAMWeigher 1\.000 \+ CPUWeigher 1\.000/)
      expect(out).toContain('and 2 hosts more; --hosts N shows more')
    })

    test('of a schedule that has no room: what Placement lacks, and what would help there', async () => {
      const { out } = await at('explain', 'schedule', 'huge', '--hosts', '1')
      expect(out).not.toContain('Reasons')
      expect(out).toMatch(/64 of VCPU +3 → 0 +3 → 0 +blocks\n/)
      expect(out).toContain('What would help:\n  Ask for 8 of VCPU instead of 64.\n')
      expect(out).toContain('  alpha  no room\n    alpha: VCPU needs 64, has 8 free of 8\n')
    })

    test('of candidates, in the old spelling and the new', async () => {
      const query = ['--resources', 'VCPU:64']
      const [old, fresh] = [await at('explain', ...query), await at('explain', 'candidates', ...query)]
      expect(old.out).toContain('No candidate')
      expect(fresh).toEqual(old)
      expect((await at('explain', 'nonsense')).exitCode).toBe(exitCodes.usage)
      expect((await at('explain')).exitCode).toBe(exitCodes.usage)
    })
  })

  describe('decision', () => {
    test('is listed, shown and replayed', async () => {
      const { decision, placed } = await json('schedule', 'half')
      await at('schedule', 'huge')
      const list = await at('decision', 'list')
      expect(list.out).toMatch(
        /schedule +refused +m1.huge +[0-9a-f-]{36} +root, ops +No host fits: .*schedule +placed +m1.half +[0-9a-f-]{36} +root, ops +alpha\n$/s,
      )
      expect(await json('decision', 'list', '--instance', placed[0].instance)).toMatchObject([
        { id: decision },
      ])
      expect((await at('decision', 'list', '--limit', '1')).err).toMatch(/--after /)
      expect((await at('decision', 'list', '--kind', 'move')).err).toBe('berth: no decision\n')
      const shown = await at('decision', 'show', decision)
      expect(shown.out).toMatch(/outcome +placed\n/)
      expect(shown.out).toMatch(/ComputeFilter +3 → 3\n/)
      await at('schedule', 'fast')
      const [{ id }] = await json('decision', 'list', '--limit', '1')
      const why = (await at('decision', 'show', id)).out
      expect(why).toMatch(/AggregateInstanceTypeFilter +3 → 0 +\d are? .*what the flavor asks for/)
      expect(why).not.toContain('extra-spec.')
      expect(why).toContain(`$ berth decision compare ${id}\n`)
      const compared = (await at('decision', 'compare', id)).out
      expect(compared).toMatch(/at that time +revision \d+ +3 +\d +0\nnow +revision \d+ +3 +\d +0\n/)
      expect(compared).toContain('Every host is as it was.')
      expect((await at('decision', 'explain', id, '--hosts', '1')).out).toMatch(/^No host fits: of 3 hosts/)
      expect((await json('decision', 'list', '--search', 'm1.HUGE none')).length).toBe(1)
      const replayed = await at('decision', 'replay', decision)
      expect([replayed.exitCode, replayed.out.split('\n')[0]]).toEqual([0, 'Same result: placed'])
      expect((await at('decision', 'show', uuid(5))).exitCode).toBe(exitCodes.missing)
    })
  })

  describe('simulate', () => {
    test('tells how many fit', async () => {
      const { exitCode, out } = await at('simulate', 'half')
      expect(exitCode).toBe(0)
      expect(out.replace(/revision \d+/, 'revision N')).toBe(`6 more fit on 3 of 3 hosts at revision N

ZONE  HOSTS  FITS
east      2     4
nova      1     2

AGGREGATE  HOSTS  FITS
rack-1         2     4
disks          1     2

HOST   FITS
alpha     2
beta      2
gamma     2

What limits it:
  3 hosts have too little MEMORY_MB
  3 hosts have too little VCPU
`)
    })

    test('compares before and after, and tells where drained servers go', async () => {
      const { placed } = await json('schedule', 'half', '--count', '2', '--host', 'gamma')
      const { out } = await at(
        ...['simulate', 'half', '--drain', 'gamma', '--add', 'like=alpha,count=2,aggregate=rack-1'],
        ...['--add', 'name=new,VCPU=4,MEMORY_MB=9000,DISK_GB=50', '--inventory', 'beta:VCPU,reserved=8'],
      )
      expect(out).toContain('Now 4 more fit, on 2 of 3 hosts')
      expect(out).toContain('Then 5 more fit, on 4 of 6 hosts: 1 more')
      expect(out).toMatch(/east +4 +4 +4\n/)
      expect(out).toContain('Added:\n  alpha+1, alpha+2, new\n')
      expect(out).toContain('Drained: 2 servers have to go elsewhere, and all find a host')
      for (const { instance } of placed) expect(out).toMatch(new RegExp(`${instance} +gamma +\\S+\\n`))
    })
  })
})

describe('what is wrong is refused', () => {
  beforeAll(start)
  afterAll(() => berth.end())

  test.each<[string, string[], number, RegExp]>([
    ['nothing', [], exitCodes.usage, /the request is empty/],
    ['half a flavor', ['--vcpus', '1'], exitCodes.usage, /--vcpus, --ram and --disk/],
    ['two things', ['half', '--resources', 'VCPU=1'], exitCodes.usage, /give one of: a flavor/],
    ['traits of nothing', ['half', '--required', 'A'], exitCodes.usage, /need --resources/],
    ['no amount', ['--resources', 'VCPU'], exitCodes.usage, /'VCPU' is not CLASS=AMOUNT/],
    ['no number', ['half', '--count', 'x'], exitCodes.usage, /not a whole number/],
    ['a hint without a value', ['half', '--hint', 'x'], exitCodes.usage, /KEY=VALUE/],
    ['an unknown flavor', ['none'], exitCodes.missing, /There is no flavor/],
    ['too many', ['half', '--count', '101'], exitCodes.invalid, /count/],
  ])('schedule refuses %s', async (_, args, exitCode, line) => {
    const ran = await at('schedule', ...args)
    expect([ran.exitCode, ran.out]).toEqual([exitCode, ''])
    expect(ran.err).toMatch(line)
  })

  test.each<[string, string[], number]>([
    ['a host of nothing', ['--add', 'name='], exitCodes.usage],
    ['a host of nonsense', ['--add', 'colour=red'], exitCodes.usage],
    ['a number that is none', ['--add', 'like=alpha,count=x'], exitCodes.usage],
    ['an inventory of nobody', ['--inventory', 'VCPU=2'], exitCodes.usage],
    ['an unknown host', ['--drain', 'delta'], exitCodes.missing],
    ['a name that is taken', ['--add', 'like=alpha,name=beta'], exitCodes.conflict],
  ])('simulate refuses %s', async (_, args, exitCode) => {
    expect((await at('simulate', 'half', ...args)).exitCode).toBe(exitCode)
  })
})
