/** The commands that check resources against the catalog, against a real server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
let directory: string
beforeAll(async () => {
  berth = await Berth.start({ catalog_builtin: true })
  directory = await mkdtemp(join(tmpdir(), 'berth-lint-'))
})
afterAll(async () => {
  await berth.end()
  await rm(directory, { recursive: true })
})

const at = (args: string[], typed?: string) =>
  run(['catalog', ...args, '--url', berth.server.url, '--token', 'root:ops:admin'], {
    ...(typed === undefined ? {} : { typed }),
  })

describe('check', () => {
  test('says where each key is defined, and ends well if there is nothing else to say', async () => {
    const { exitCode, out } = await at(['check', 'flavor', 'hw:cpu_policy=dedicated', 'hw:cpu_threads=2'])
    expect(exitCode).toBe(0)
    expect(out).toBe(
      'KEY             VALUE      DEFINED IN                 REMARK\n' +
        'hw:cpu_policy   dedicated  Berth::Guest::CPUPolicy    fine\n' +
        'hw:cpu_threads  2          Berth::Guest::CPUTopology  fine\n',
    )
  })

  test('a typo comes with what was meant', async () => {
    const { exitCode, out } = await at(['check', 'flavor', 'hw:cpu_polcy=dedicated'])
    expect(exitCode).toBe(exitCodes.differences)
    expect(out).toContain('Nothing defines "hw:cpu_polcy"; hw:cpu_policy is defined.')
  })

  test('the value of a key goes from the first sign of equality to the end', async () => {
    const { json } = await at(['check', 'flavor', 'capabilities:free_ram_mb=>= 4096', '--json'])
    expect(json.keys[0]).toMatchObject({ value: '>= 4096', operator: '>=', operator_allowed: true, ok: true })
  })

  test('a comma form is put right', async () => {
    const { out } = await at(['check', 'flavor', 'capabilities:cpu_info:features=<all-in> aes,vme'])
    expect(out).toContain('Probably meant: <all-in> aes vme')
  })

  test('a share type without its required key is reported', async () => {
    const { exitCode, out } = await at(['check', 'share-type', 'dedupe=<is> True'])
    expect(exitCode).toBe(exitCodes.differences)
    expect(out).toMatch(/driver_handles_share_servers .*needs it/)
  })

  test.each([
    [['check', 'flavour', 'a=b'], "'flavour' is not a resource type"],
    [['check', 'flavor', 'a'], "'a' has no value"],
    [['check', 'flavor', 'a=1', 'a=2'], 'a is given twice'],
  ])('%j is a wrong command line', async (args, line) => {
    const { exitCode, err } = await at(args)
    expect(exitCode).toBe(exitCodes.usage)
    expect(err).toContain(line)
  })
})

describe('lint', () => {
  const flavors = {
    flavors: [{ id: '1', name: 'm1', extra_specs: { 'hw:cpu_polcy': 'shared', 'hw:pmu': 'yes' } }],
  }

  test('of a server that has nothing yet has nothing to say', async () => {
    const { exitCode, out, err } = await at(['lint'])
    expect({ exitCode, out, err }).toEqual({
      exitCode: 0,
      out: '',
      err: 'berth: no findings in 0 flavors, 0 aggregates, 0 share types\n',
    })
  })

  test('files may be answers of Nova and Manila', async () => {
    const file = join(directory, 'flavors.json')
    await writeFile(file, JSON.stringify(flavors))
    const more = join(directory, 'more.json')
    const aggregates = [{ id: 3, name: 'fast', hosts: [], metadata: { cpu_allocation_ratio: '4' } }]
    await writeFile(more, JSON.stringify({ aggregates, share_types: [] }))
    const { exitCode, out, err } = await at(['lint', file, more])
    expect(exitCode).toBe(exitCodes.differences)
    expect(out.split('\n').slice(1, -1)).toEqual([
      expect.stringMatching(/^flavor +m1 +hw:cpu_polcy +shared +Nothing defines/),
      expect.stringMatching(/^aggregate +fast +cpu_allocation_ratio +4 +Nova no longer reads it/),
    ])
    expect(err).toBe('berth: 2 findings in 1 flavor, 1 aggregate, 0 share types\n')
  })

  test('standard input will do, and JSON comes out', async () => {
    const { json } = await at(['lint', '-', '--json'], JSON.stringify(flavors))
    expect(json.counts).toEqual({ 'key-undefined': 1 })
  })

  test.each([
    ['no', /standard input: it is not JSON/],
    ['[]', /it is not a JSON object/],
    ['{}', /it has none of flavors, aggregates and share_types/],
    ['{"flavors": {}}', /flavors is not a list/],
    ['{"flavors": [1]}', /flavors\[0\] is not an object/],
    ['{"flavors": [{}]}', /flavors\[0\] has no name/],
    ['{"flavors": [{"name": "m1"}]}', /flavors\[0\] \(m1\) has no extra_specs/],
    [
      '{"aggregates": [{"name": "a", "metadata": {"k": 4}}]}',
      /aggregates\[0\] \(a\): k is 4, and values must be strings/,
    ],
  ])('%s is refused, and the place is named', async (typed, line) => {
    const { exitCode, err } = await at(['lint', '-'], typed)
    expect(exitCode).toBe(exitCodes.invalid)
    expect(err).toMatch(line)
  })

  test('a file that is not there is missing', async () => {
    expect((await at(['lint', '/nonexistent.json'])).exitCode).toBe(exitCodes.missing)
  })
})

describe('lint --fix', () => {
  const own = {
    namespace: 'Acme::Fix',
    resource_type_associations: [{ name: 'OS::Nova::Flavor' }, { name: 'OS::Nova::Aggregate' }],
    properties: { tier: { title: 'Tier', type: 'string', operators: ['<or>'] } },
  }
  const flavors = [
    {
      name: 'fixed',
      ram: 1,
      vcpus: 1,
      disk: 1,
      extra_specs: {
        tier: '<or> gold,silver',
        'capabilities:cpu_info:features': '<all-in> aes,avx2',
        'hw:cpu_policy': 'shared',
      },
    },
  ]
  const aggregates = [
    { name: 'plain', metadata: { tier: '<or> gold,silver' } },
    { name: 'forced', metadata: { tier: '<or> gold,silver', force_metadata_check: 'True' } },
    { name: 'undefined', metadata: { tier: 'undefined gold,silver', force_metadata_check: 'True' } },
  ]
  const repairs = [
    ['flavor', 'fixed', 'tier', '<or> gold,silver', '<or> gold <or> silver'],
    ['flavor', 'fixed', 'capabilities:cpu_info:features', '<all-in> aes,avx2', '<all-in> aes avx2'],
    ['aggregate', 'plain', 'tier', '<or> gold,silver', 'gold,silver'],
    ['aggregate', 'undefined', 'tier', 'undefined gold,silver', 'gold,silver'],
  ]
  const told = (json: { repairs: Record<string, string>[] }) =>
    json.repairs.map(({ kind, name, key, before, after }) => [kind, name, key, before, after]).sort()

  test('repairs what dashboards wrote with commas, after a dry run that changes nothing', async () => {
    await berth.ask('POST', '/image/v2/metadefs/namespaces', { body: own })
    expect((await berth.ask('POST', '/v1/apply', { body: { flavors, aggregates } })).status).toBe(200)
    const dry = await at(['lint', '--fix', '--dry-run', '--json'])
    expect([dry.exitCode, dry.json.dry_run, told(dry.json)]).toEqual([
      exitCodes.differences,
      true,
      repairs.toSorted(),
    ])
    expect((await at(['lint', '--fix', '--dry-run'])).err).toContain('4 values would be repaired')
    const done = await at(['lint', '--fix', '--json'])
    expect([done.exitCode, told(done.json)]).toEqual([0, repairs.toSorted()])
    const again = await at(['lint', '--fix'])
    expect([again.exitCode, again.err]).toEqual([0, 'berth: nothing to repair\n'])
    const { json } = await at(['lint', '--json'])
    expect(json.counts['operator-comma-form']).toBeUndefined()
  })

  test('is for the server, and --dry-run goes with it', async () => {
    expect((await at(['lint', '--dry-run'])).exitCode).toBe(exitCodes.usage)
    expect((await at(['lint', '--fix', 'a.json'])).exitCode).toBe(exitCodes.usage)
  })
})

describe('a write prints what check would say', () => {
  const cli = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])
  const size = ['--ram', '1', '--vcpus', '1', '--disk', '1']

  test('flavor create and set', async () => {
    const made = await cli('flavor', 'create', 'told', ...size, '--spec', 'cpu_policy=dedicated')
    expect([made.exitCode, made.err]).toEqual([
      0,
      'berth: warning: cpu_policy: Nothing defines "cpu_policy"; hw:cpu_policy is defined.\n',
    ])
    const set = await cli('flavor', 'set', 'told', 'capabilities:cpu_info:features=<all-in> aes,vme')
    expect(set.err).toBe(
      'berth: warning: capabilities:cpu_info:features: Commas do not separate values here: "<all-in> aes,vme" is read ' +
        'as one value. Probably meant: <all-in> aes vme\n',
    )
    expect((await cli('flavor', 'set', 'told', 'hw:cpu_policy=dedicated')).err).toBe('')
  })

  test('host-aggregate create and set', async () => {
    const made = await cli('host-aggregate', 'create', 'told', 'max_instance_per_host=5')
    expect(made.err).toContain('max_instances_per_host is defined')
    const set = await cli('host-aggregate', 'set', 'told', 'max_instances_per_host=few')
    expect(set.err).toBe(
      'berth: warning: max_instances_per_host: "few" is not a whole number (Berth::Aggregate::Limits).\n',
    )
    expect((await cli('host-aggregate', 'set', 'told', 'hw:cpu_policy=dedicated')).err).toBe('')
  })
})
