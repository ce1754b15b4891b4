import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  onTestFinished(() => berth.end())
  const { status, text } = await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', path, { body, headers })
const schedule = (body: Record<string, unknown>) => post('/v1/schedule', body)
const hostsOf = (json: { placed: { host: string }[] }) => json.placed.map(({ host }) => host)
const held = async (instance: string) =>
  (await berth.ask('GET', `/allocations/${instance}`, { minor: 36 })).json.allocations

async function group(policy: string): Promise<string> {
  const answer = await fetch(`${berth.server.url}/compute/v2.1/os-server-groups`, {
    method: 'POST',
    headers: {
      'x-auth-token': 'admin',
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.64',
    },
    body: JSON.stringify({ server_group: { name: 'g', policy } }),
  })
  const json = (await answer.json()) as { server_group: { id: string } }
  return json.server_group.id
}

describe('schedule', () => {
  test('picks, claims and names alternates in one call', async () => {
    const { status, json } = await schedule({ flavor: 'm1.half', project_id: 'p', user_id: 'u' })
    expect(status).toBe(200)
    const [placed] = json.placed
    expect(placed).toMatchObject({
      host: 'alpha',
      provider: uuid(1),
      allocations: { [uuid(1)]: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 20 } },
      mappings: { '': [uuid(1)] },
      alternates: [{ host: 'beta' }, { host: 'gamma' }],
    })
    expect(json.choice).toMatchObject({ candidates: 3, is_cut: false, is_exhausted: false })
    expect(await held(placed.instance)).toMatchObject({
      [uuid(1)]: { resources: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 20 } },
    })
    expect(json.warnings).toEqual([])
  })

  test('answers in the shape of select_destinations too', async () => {
    const { json } = await schedule({ flavor: 'half', alternates: 1, zone: 'east' })
    expect(json.selections).toEqual([
      [
        expect.objectContaining({ service_host: 'alpha', nodename: 'alpha', availability_zone: 'east' }),
        expect.objectContaining({ service_host: 'beta', compute_node_uuid: uuid(2), cell_uuid: null }),
      ],
    ])
    expect(JSON.parse(json.selections[0][0].allocation_request).allocations).toEqual({
      [uuid(1)]: { resources: { VCPU: 4, MEMORY_MB: 8192, DISK_GB: 20 } },
    })
  })

  test('spreads several servers, each placed where the earlier ones left room', async () => {
    const { json } = await schedule({ flavor: 'half', count: 6 })
    expect(hostsOf(json).sort()).toEqual(['alpha', 'alpha', 'beta', 'beta', 'gamma', 'gamma'])
  })

  test('is all or nothing: where the last server finds no host nothing is claimed', async () => {
    const { status, json } = await schedule({ flavor: 'half', count: 7 })
    expect([status, json.code, json.placed]).toEqual([409, 'schedule.no-host', 6])
    expect(json.detail).toContain('After 6 of the servers no host fits: none has room')
    const usages = await berth.ask('GET', `/resource_providers/${uuid(1)}/usages`, { minor: 36 })
    expect(usages.json.usages).toEqual({ VCPU: 0, MEMORY_MB: 0, DISK_GB: 0 })
  })

  test('does everything but the claim in a dry run', async () => {
    const { status, json } = await schedule({ flavor: 'half', dry_run: true })
    expect([status, json.dry_run, hostsOf(json)]).toEqual([200, true, ['alpha']])
    expect(await held(json.placed[0].instance)).toEqual({})
  })

  test('asks for a named host only, and is never lost to a limit', async () => {
    const { json } = await schedule({ flavor: 'half', host: 'gamma' })
    expect(hostsOf(json)).toEqual(['gamma'])
    expect(json.placed[0].alternates).toEqual([])
    const other = await schedule({ flavor: 'half', host: uuid(2), ignore_hosts: ['alpha'] })
    expect(hostsOf(other.json)).toEqual(['beta'])
    const full = await schedule({ flavor: 'huge', host: 'gamma' })
    expect([full.status, full.json.code]).toEqual([409, 'schedule.no-host'])
  })

  test('keeps to a zone, and to what aggregates say', async () => {
    expect(hostsOf((await schedule({ flavor: 'half', zone: 'nova' })).json)).toEqual(['gamma'])
    const { status, json } = await schedule({ flavor: 'fast' })
    expect([status, json.code]).toEqual([409, 'schedule.no-host'])
    expect(json.detail).toBe('No host fits: 3 hosts have room; AggregateInstanceTypeFilter removed 3.')
    expect(json.choice.funnel.at(-1)).toEqual({
      filter: 'AggregateInstanceTypeFilter',
      before: 3,
      after: 0,
      removed: [
        {
          code: 'extra-spec.missing',
          hosts: 2,
          text: 'are in no aggregate that has what the flavor asks for',
        },
        {
          code: 'extra-spec.mismatch',
          hosts: 1,
          text: 'is in aggregates with another value of what the flavor asks for',
        },
      ],
    })
  })

  test('takes raw groups instead of a flavor', async () => {
    const groups = { '': { resources: { VCPU: 2 } }, _D: { resources: { DISK_GB: 5 }, required: [] } }
    const { json } = await schedule({ groups, group_policy: 'none' })
    expect(json.placed[0]).toMatchObject({
      allocations: { [uuid(1)]: { VCPU: 2, DISK_GB: 5 } },
      mappings: { '': [uuid(1)], _D: [uuid(1)] },
    })
  })

  test('takes a flavor that does not exist', async () => {
    const flavor = { vcpus: 1, ram: 1, disk: 1, extra_specs: { disk: 'hdd' } }
    expect(hostsOf((await schedule({ flavor })).json)).toEqual(['alpha'])
  })

  test('has one effect for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const one = await post('/v1/schedule', { flavor: 'half' }, headers)
    const again = await post('/v1/schedule', { flavor: 'half' }, headers)
    expect(again.json).toEqual(one.json)
    expect(again.headers.get('idempotent-replay')).toBe('true')
  })

  test('keeps members of an anti-affinity group apart, and those of an affinity group together', async () => {
    const apart = await group('anti-affinity')
    const { json } = await schedule({ flavor: 'half', count: 3, server_group: apart })
    expect(hostsOf(json).sort()).toEqual(['alpha', 'beta', 'gamma'])
    const fourth = await schedule({ flavor: 'half', server_group: apart })
    expect(fourth.json.detail).toContain('ServerGroupAntiAffinityFilter removed 3')
    await berth.ask('DELETE', `/allocations/${json.placed[1].instance}`)
    const freed = await schedule({ flavor: 'half', hints: { group: apart } })
    expect(hostsOf(freed.json)).toEqual([json.placed[1].host])
    const together = await group('affinity')
    const pair = await schedule({ flavor: 'fast', count: 1, server_group: together })
    expect(pair.status).toBe(409)
    const small = { vcpus: 1, ram: 1, disk: 1 }
    const same = await schedule({ flavor: small, count: 3, server_group: together })
    expect(new Set(hostsOf(same.json)).size).toBe(1)
  })

  test('follows hints about other servers', async () => {
    const small = { vcpus: 1, ram: 1, disk: 1 }
    const first = (await schedule({ flavor: small, host: 'beta' })).json.placed[0].instance
    const near = await schedule({ flavor: small, hints: { same_host: [first] } })
    expect(hostsOf(near.json)).toEqual(['beta'])
    const away = await schedule({ flavor: small, hints: { different_host: first }, count: 2 })
    expect(hostsOf(away.json)).not.toContain('beta')
    const nobody = await schedule({ flavor: small, hints: { different_host: uuid(99), colour: 'red' } })
    expect(nobody.json.warnings).toEqual([
      { code: 'hint.unread', text: 'No filter or weigher of this server reads the hint colour.' },
      { code: 'hint.unknown-server', text: `A hint names ${uuid(99)}, which has no allocations.` },
    ])
  })

  test('passes over disabled hosts', async () => {
    await berth.ask('PUT', '/v1/hosts/alpha', { body: { disabled: true, disabled_reason: 'new disks' } })
    expect(hostsOf((await schedule({ flavor: 'half' })).json)).toEqual(['beta'])
  })
})

describe('bad requests are refused, and nothing is claimed', () => {
  test.each<[string, Record<string, unknown>, number, string, RegExp]>([
    ['neither flavor nor groups', {}, 400, 'request.invalid', /Give either flavor or groups/],
    ['both', { flavor: 'half', groups: {} }, 400, 'request.invalid', /not both/],
    ['an unknown flavor', { flavor: 'none' }, 404, 'schedule.flavor-missing', /flavor .*none/],
    ['an unknown host', { flavor: 'half', host: 'nowhere' }, 404, 'schedule.host-missing', /nowhere/],
    ['an unknown group', { flavor: 'half', server_group: uuid(7) }, 404, 'schedule.group-missing', /group/],
    ['a group that is no uuid', { flavor: 'half', hints: { group: 'x' } }, 400, 'schedule.bad-hint', /"x"/],
    [
      'a hint that is no uuid',
      { flavor: 'half', hints: { same_host: ['here'] } },
      400,
      'schedule.bad-hint',
      /same_host .*"here"/,
    ],
    ['no server', { flavor: 'half', count: 0 }, 400, 'request.invalid', /count/],
    ['too many servers', { flavor: 'half', count: 101 }, 400, 'request.invalid', /count/],
    [
      'a count of another number',
      { flavor: 'half', count: 2, instances: [uuid(9)] },
      400,
      'request.invalid',
      /1 are/,
    ],
    ['a server twice', { flavor: 'half', instances: [uuid(9), uuid(9)] }, 400, 'request.invalid', /twice/],
    [
      'a flavor that takes nothing',
      { flavor: { vcpus: 0, ram: 0, disk: 0 } },
      400,
      'schedule.nothing-asked',
      /no res/,
    ],
    [
      'an unknown trait',
      { groups: { '': { resources: { VCPU: 1 }, required: ['CUSTOM_X'] } } },
      400,
      'schedule.unknown-name',
      /trait CUSTOM_X/,
    ],
    [
      'an unknown class',
      { groups: { '': { resources: { CUSTOM_X: 1 } } } },
      400,
      'schedule.unknown-name',
      /CUSTOM_X/,
    ],
    [
      'a flavor that contradicts itself',
      { flavor: { vcpus: 1, ram: 1, disk: 1, extra_specs: { 'hw:cpu_policy': 'odd' } } },
      400,
      'schedule.flavor-faults',
      /hw:cpu_policy/,
    ],
    ['an unknown field', { flavor: 'half', colour: 'red' }, 400, 'request.invalid', /colour/],
  ])('%s', async (_, body, status, code, detail) => {
    const { json, ...answer } = await schedule(body)
    expect([answer.status, json.code]).toEqual([status, code])
    expect(json.detail).toMatch(detail)
    const usages = await berth.ask('GET', `/resource_providers/${uuid(1)}/usages`, { minor: 36 })
    expect(usages.json.usages.VCPU).toBe(0)
  })

  test('a server that exists already', async () => {
    await schedule({ flavor: 'half', instances: [uuid(9)] })
    const { status, json } = await schedule({ flavor: 'half', instances: [uuid(9)] })
    expect([status, json.code]).toEqual([409, 'schedule.server-exists'])
  })
})

describe('move', () => {
  test('from a host that the server is not on is refused, and moves nothing', async () => {
    const { json } = await schedule({ flavor: 'half', host: 'alpha' })
    const [{ instance }] = json.placed
    const refused = await post('/v1/move', { instance, from_host: 'beta', host: 'gamma' })
    expect([refused.status, refused.json.code]).toEqual([409, 'schedule.source-changed'])
    expect(refused.json.detail).toBe(`${instance} is on alpha, and not only on beta.`)
    expect(Object.keys(await held(instance))).toEqual([uuid(1)])
    const moved = await post('/v1/move', { instance, from_host: 'alpha', host: 'gamma' })
    expect([moved.status, hostsOf(moved.json)]).toEqual([200, ['gamma']])
  })

  const place = async (body: Record<string, unknown>) => (await schedule(body)).json.placed[0].instance

  test('claims the new place in the commit that gives up the old one', async () => {
    const instance = await place({ flavor: 'half' })
    const { status, json } = await post('/v1/move', { instance })
    expect([status, hostsOf(json), json.source_kept_by]).toEqual([200, ['beta'], null])
    expect(Object.keys(await held(instance))).toEqual([uuid(2)])
  })

  test('asks for the same as before: zone, hints and extra specs', async () => {
    const instance = await place({ flavor: 'half', zone: 'east' })
    expect(hostsOf((await post('/v1/move', { instance })).json)).toEqual(['beta'])
    const { status, json } = await post('/v1/move', { instance, host: 'gamma' })
    expect([status, json.code]).toEqual([409, 'schedule.no-host'])
    expect(Object.keys(await held(instance))).toEqual([uuid(2)])
    expect((await post('/v1/move', { instance, host: 'gamma', zone: null })).status).toBe(200)
  })

  test('can keep the old place held, by a migration', async () => {
    const instance = await place({ flavor: 'half' })
    const { json } = await post('/v1/move', { instance, host: 'gamma', keep_source: true })
    expect(Object.keys(await held(instance))).toEqual([uuid(3)])
    expect(await held(json.source_kept_by)).toMatchObject({ [uuid(1)]: { resources: { VCPU: 4 } } })
    await berth.ask('DELETE', `/allocations/${json.source_kept_by}`)
    const usages = await berth.ask('GET', `/resource_providers/${uuid(1)}/usages`, { minor: 36 })
    expect(usages.json.usages.VCPU).toBe(0)
  })

  test('stays in its server group', async () => {
    const apart = await group('anti-affinity')
    const two = await schedule({ flavor: 'half', count: 2, server_group: apart })
    const [one, other] = two.json.placed
    const { json } = await post('/v1/move', { instance: one.instance })
    expect(hostsOf(json)).toEqual(['gamma'])
    const refused = await post('/v1/move', { instance: one.instance, host: other.host })
    expect(refused.json.detail).toContain('ServerGroupAntiAffinityFilter')
  })

  test('moves what was claimed through Placement, and says what it does not know', async () => {
    const allocations = { [uuid(1)]: { resources: { VCPU: 1, MEMORY_MB: 100 } } }
    const body = {
      allocations,
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    }
    await berth.ask('PUT', `/allocations/${uuid(50)}`, { body, minor: 38 })
    const { json } = await post('/v1/move', { instance: uuid(50) })
    expect(json.placed[0].allocations).toEqual({ [uuid(2)]: { VCPU: 1, MEMORY_MB: 100 } })
    expect(json.warnings[0].code).toBe('move.request-unknown')
  })

  test('is refused for a server that is not there, or is there already', async () => {
    expect((await post('/v1/move', { instance: uuid(77) })).json.code).toBe('schedule.server-missing')
    const instance = await place({ flavor: 'half' })
    expect((await post('/v1/move', { instance, host: 'alpha' })).json.code).toBe('schedule.same-host')
  })
})

describe('rebuild', () => {
  test('asks the filters that look at the image, on the same host', async () => {
    const { json } = await schedule({ flavor: 'half' })
    const [{ instance }] = json.placed
    const fine = await post('/v1/rebuild', { instance, image: { properties: {} } })
    expect([fine.status, fine.json.host]).toEqual([200, 'alpha'])
    const image = { properties: { hw_architecture: 'aarch64' } }
    const { status, json: refused } = await post('/v1/rebuild', { instance, image })
    expect([status, refused.code]).toEqual([409, 'schedule.rebuild-refused'])
    expect(refused.detail).toContain('ImagePropertiesFilter: the image asks for aarch64')
    expect((await post('/v1/rebuild', { instance: uuid(7), image })).status).toBe(404)
  })
})

describe('decisions', () => {
  test('are listed, shown and replayed to the same result after later changes', async () => {
    const one = await schedule({ flavor: 'half' })
    const two = await schedule({ flavor: 'half', count: 2 })
    const none = await schedule({ flavor: 'huge' })
    const moved = await post('/v1/move', { instance: one.json.placed[0].instance })
    await berth.ask('PUT', '/v1/hosts/alpha', { body: { disabled: true } })
    const { json } = await berth.ask('GET', '/v1/decisions')
    expect(
      json.decisions.map((row: { kind: string; outcome: string }) => `${row.kind} ${row.outcome}`),
    ).toEqual(['move placed', 'schedule refused', 'schedule placed', 'schedule placed'])
    for (const { decision, placed = [] } of [one.json, two.json, none.json, moved.json]) {
      const shown = await berth.ask('GET', `/v1/decisions/${decision}`)
      expect(shown.json.placed).toMatchObject(
        (Array.isArray(placed) ? placed : []).map(({ instance, host }) => ({ instance, host })),
      )
      const again = await post(`/v1/decisions/${decision}/replay`, undefined)
      expect([again.status, again.json.same, again.json.placed]).toEqual([200, true, shown.json.placed])
    }
  })

  test('are found by the server that they placed, by outcome, and page by page', async () => {
    const { json } = await schedule({ flavor: 'half' })
    await schedule({ flavor: 'huge' })
    const ids = async (query: string) =>
      (await berth.ask('GET', `/v1/decisions?${query}`)).json.decisions.map((row: { id: string }) => row.id)
    expect(await ids(`instance=${json.placed[0].instance}`)).toEqual([json.decision])
    expect(await ids(`instance=${uuid(3)}`)).toEqual([])
    const refused = await schedule({ flavor: 'huge', instances: [uuid(60)] })
    const found = await berth.ask('GET', `/v1/decisions?instance=${uuid(60)}`)
    expect(found.json.decisions).toMatchObject([
      {
        id: refused.json.decision,
        outcome: 'refused',
        asked: { instances: [uuid(60)], flavor: 'm1.huge', zone: null, host: null, hints: {} },
        reason: refused.json.detail,
      },
    ])
    const moved = await post('/v1/move', { instance: json.placed[0].instance })
    const both = [moved.json.decision, json.decision]
    expect(await ids(`instance=${json.placed[0].instance}`)).toEqual(both)
    expect(await ids(`instance=${json.placed[0].instance}&limit=1`)).toEqual([both[0]])
    expect(await ids(`instance=${json.placed[0].instance}&marker=${both[0]}`)).toEqual([both[1]])
    expect(await ids(`instance=${json.placed[0].instance}&kind=move`)).toEqual([both[0]])
    expect(await ids('outcome=placed')).toEqual(both)
    const [newest, oldest] = await ids('')
    expect(await ids('limit=1')).toEqual([newest])
    expect(await ids(`limit=1&marker=${newest}`)).toEqual([oldest])
    expect((await berth.ask('GET', `/v1/decisions/${uuid(1)}`)).json.code).toBe('decisions.missing')
  })
})

test('metrics count decisions, and which filter turned hosts away', async () => {
  await schedule({ flavor: 'half' })
  await schedule({ flavor: 'fast', dry_run: true })
  const metrics = await (await fetch(`${berth.server.url}/metrics`)).text()
  expect(metrics).toContain('berth_schedule_decisions_total{kind="schedule",outcome="placed"} 1')
  expect(metrics).toContain('berth_schedule_decisions_total{kind="dry-run",outcome="refused"} 1')
  expect(metrics).toContain('berth_schedule_hosts_removed_total{filter="AggregateInstanceTypeFilter"} 3')
})

describe('explain', () => {
  const explain = async (body: object) => (await post('/v1/explain/schedule', body)).json

  test('tells of every host every filter that says no, what it compared, and what would help', async () => {
    await berth.ask('PUT', '/v1/hosts/alpha', { body: { disabled: true, disabled_reason: 'new disks' } })
    const json = await explain({ flavor: 'fast', zone: 'east' })
    expect(json).toMatchObject({ hosts: 3, with_room: 2, passed: 0, reports_left_out: 0 })
    expect(json.histogram[0]).toMatchObject({ filter: 'AggregateInstanceTypeFilter', key: 'disk', hosts: 1 })
    const alpha = json.reports.find((one: { host: string }) => one.host === 'alpha')
    expect(alpha.verdict).toBe('refused')
    expect(alpha.refusals.map(({ filter }: { filter: string }) => filter)).toEqual([
      'ComputeFilter',
      'AggregateInstanceTypeFilter',
    ])
    expect(alpha.refusals[1].reasons[0]).toMatchObject({
      code: 'extra-spec.mismatch',
      facts: {
        direction: 'flavor-to-host',
        key: 'disk',
        requirement: 'ssd',
        found: [{ aggregate: { name: 'disks' }, text: 'hdd' }],
      },
      text: 'the flavor asks for disk = "ssd", but the host has "hdd" from aggregate disks.',
    })
    const gamma = json.reports.find((one: { host: string }) => one.host === 'gamma')
    expect(gamma.verdict).toBe('no-room')
    expect(json.changes.map(({ text }: { text: string }) => text)).toEqual([
      'Drop disk=ssd from the flavor: 1 host would do.',
      'Add beta to a host aggregate with disk=ssd.',
      'Enable alpha; set disk=ssd on host aggregate "disks".',
    ])
  })

  test('tells what each weigher gave to the hosts that pass', async () => {
    await schedule({ flavor: 'half', host: 'beta' })
    const json = await explain({ flavor: 'half' })
    expect(json.passed).toBe(3)
    expect(json.reports[2]).toMatchObject({ host: 'beta', verdict: 'passes' })
    const ram = json.reports[2].contributions.find((one: { weigher: string }) => one.weigher === 'RAMWeigher')
    expect(ram).toEqual({ weigher: 'RAMWeigher', raw: 8192, normalized: 0.5, multiplier: 1, weight: 0.5 })
    expect(json.changes).toEqual([])
  })

  test('tells what Placement lacks', async () => {
    const json = await explain({ flavor: 'huge' })
    expect(json).toMatchObject({ with_room: 0, passed: 0, query: expect.stringContaining('VCPU:64') })
    expect(json.placement.funnel[0]).toMatchObject({ verdict: 'blocks' })
    expect(json.reports[0].misses[0]).toContain('VCPU needs 64')
    expect((await post('/v1/explain/schedule', { flavor: 'x' })).json.code).toBe('schedule.flavor-missing')
  })
})
