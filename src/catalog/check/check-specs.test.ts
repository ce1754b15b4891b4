import { beforeAll, describe, expect, test } from 'vitest'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { definitionFiles } from '../definitions/index.ts'
import { checkSpecs } from './check-specs.ts'
import { indexDefinitions } from './defined-keys.ts'
import { AGGREGATE, FLAVOR, IMAGE, SHARE_TYPE, type Specs } from './readers.ts'

const OWN = {
  namespace: 'Acme::Storage',
  resource_type_associations: [{ name: FLAVOR, prefix: 'acme:' }, { name: AGGREGATE }],
  properties: {
    tier: { title: 'Tier', type: 'string', enum: ['gold', 'silver'], operators: ['<or>'] },
    speed: { title: 'Speed', type: 'integer', minimum: 1, maximum: 9, operators: ['>=', 's=='] },
    label: { title: 'Label', type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    tags: {
      title: 'Tags',
      type: 'array',
      items: { type: 'string', enum: ['red', 'blue'] },
      operators: ['<all-in>'],
    },
  },
  objects: [{ name: 'Disk', properties: { size: { title: 'Size', type: 'number' } } }],
}

const catalog = new SmallCatalog()
beforeAll(() => {
  catalog.import([...definitionFiles, OWN].map(one => JSON.stringify(one)))
  source = sourceOf(catalog)
})

const sourceOf = ({ world }: SmallCatalog) => indexDefinitions(world.catalog, world.catalog.namespaces.all())
let source: ReturnType<typeof sourceOf>

const check = (type: string, specs: Specs) => checkSpecs(source, type, specs)
const one = (type: string, key: string, value: string, others: Specs = {}) =>
  check(type, { ...others, [key]: value }).keys.find(report => report.key === key)!
const codes = (type: string, key: string, value: string, others: Specs = {}) =>
  one(type, key, value, others).findings.map(({ code }) => code)

test('a key says where it is defined, by namespace, object, property and prefix', () => {
  expect(one(FLAVOR, 'acme:tier', 'gold')).toMatchObject({
    definitions: [{ namespace: 'Acme::Storage', object: null, property: 'tier', prefix: 'acme:' }],
    operator: null,
    findings: [],
    near: [],
  })
  expect(one(FLAVOR, 'acme:size', '1.5').definitions).toMatchObject([{ object: 'Disk', property: 'size' }])
  expect(one(AGGREGATE, 'tier', 'gold').definitions).toMatchObject([{ prefix: '' }])
})

describe('values', () => {
  test.each([
    ['hw:cpu_policy', 'dedicated', []],
    ['hw:cpu_policy', 'pinned', ['value-enum']],
    ['hw:cpu_policy', 'Dedicated', ['value-enum']],
    ['hw:cpu_sockets', '2', []],
    ['hw:cpu_sockets', ' 2 ', []],
    ['hw:cpu_sockets', 'two', ['value-type']],
    ['hw:cpu_sockets', '2.0', ['value-type']],
    ['hw:cpu_sockets', '0', ['value-range']],
    ['hw:redirected_usb_ports', '16', ['value-range']],
    ['hw:boot_menu', 'Yes', []],
    ['hw:boot_menu', 'maybe', ['value-type']],
    ['hw:mem_page_size', '1GB', []],
    ['hw:mem_page_size', 'huge', ['value-pattern']],
    ['acme:label', 'a', ['value-length']],
    ['acme:label', 'abcde', ['value-length']],
    ['acme:label', 'ABC', ['value-pattern']],
    ['acme:size', '1e3', []],
    ['acme:size', 'large', ['value-type']],
  ])('%s=%s', (key, value, found) => {
    expect(codes(FLAVOR, key, value)).toEqual(found)
  })

  test('a remark names the value and what is allowed', () => {
    expect(one(FLAVOR, 'hw:cpu_policy', 'pinned').findings).toEqual([
      {
        code: 'value-enum',
        text: '"pinned" is not one of shared, dedicated, mixed',
        namespace: 'Berth::Guest::CPUPolicy',
        suggestion: null,
      },
    ])
    expect(one(FLAVOR, 'hw:redirected_usb_ports', '16').findings[0]?.text).toBe('16 is more than 15')
  })

  test('a key that two namespaces define is fine if one accepts the value', () => {
    const other = {
      ...OWN,
      namespace: 'Other::Storage',
      properties: { tier: { title: 'T', type: 'integer' } },
      objects: [],
    }
    const both = new SmallCatalog()
    both.import([OWN, other].map(text => JSON.stringify(text)))
    const source = sourceOf(both)
    const found = (value: string) =>
      checkSpecs(source, FLAVOR, { 'acme:tier': value }).keys[0]!.findings.map(({ namespace }) => namespace)
    expect(found('gold')).toEqual([])
    expect(found('4')).toEqual([])
    expect(found('lead')).toEqual(['Acme::Storage', 'Other::Storage'])
  })
})

describe('operators', () => {
  test.each([
    ['capabilities:free_ram_mb', '>= 4096', []],
    ['capabilities:free_ram_mb', '>= lots', ['operator-pointless', 'value-type']],
    ['capabilities:free_ram_mb', '>=', ['operator-pointless']],
    ['capabilities:free_ram_mb', '>= 1 2', ['operator-pointless']],
    ['capabilities:free_ram_mb', '<or> 1 <or> 2', ['operator-undeclared']],
    ['capabilities:free_ram_mb', '> 4096', ['operator-unread']],
    ['capabilities:cpu_info:model', '<in> Sky', ['operator-undeclared']],
    ['capabilities:cpu_info:features', '<all-in> aes avx2', []],
    ['capabilities:cpu_info:features', '<all-in> aes flux', ['value-enum']],
    ['capabilities:cpu_info:features', '<all-in> aes,avx2', ['operator-comma-form']],
    ['capabilities:cpu_info:features', 'undefined aes,avx2', ['operator-comma-form']],
    ['capabilities:cpu_info:arch', '<is> x86_64', ['operator-unread']],
    ['capabilities:updated', 's> 2026', []],
    ['hw:cpu_policy', '<or> shared <or> dedicated', ['operator-unread']],
    ['hw:cpu_sockets', '>= 2', ['operator-unread']],
    ['acme:tier', '<or> gold <or> lead', ['value-enum']],
    ['acme:tier', '<or> gold <or> ~', []],
    ['acme:tier', '*', []],
    ['acme:tags', '<all-in> red', []],
    ['acme:tags', '<all-in> green', ['value-enum']],
  ])('%s=%s', (key, value, found) => {
    expect(codes(FLAVOR, key, value)).toEqual(found)
  })

  test('a comma form comes with what was meant', () => {
    expect(one(FLAVOR, 'capabilities:cpu_info:features', '<or> aes,vme').findings[0]?.suggestion).toBe(
      '<or> aes <or> vme',
    )
  })

  test('that the reader does not know are reported with those that it knows', () => {
    const { findings, operator, reader } = one(SHARE_TYPE, 'snapshot_support', 's== True')
    expect(operator).toBe('s==')
    expect(reader?.operators).toEqual(['<is>'])
    expect(findings[0]?.text).toBe(
      's== is not an operator of the share API and the capabilities filter: it knows <is>.',
    )
  })
})

describe('share types', () => {
  const required = { driver_handles_share_servers: 'False' }

  test('must say whether drivers handle share servers', () => {
    expect(check(SHARE_TYPE, {}).missing).toEqual(['driver_handles_share_servers'])
    expect(check(SHARE_TYPE, required).missing).toEqual([])
    expect(check(FLAVOR, {}).missing).toEqual([])
  })

  test.each([
    ['driver_handles_share_servers', '<is> True', ['operator-unread']],
    ['snapshot_support', '<is> True', []],
    ['snapshot_support', '<IS> true', []],
    ['snapshot_support', 'True', []],
    ['replication_type', 'dr', []],
    ['replication_type', '<or> dr <or> readable', ['operator-unread']],
    ['storage_protocol', '<or> NFS <or> cifs', []],
    ['capabilities:dedupe', '<is> True', []],
    ['thin_provisioning', '<is> maybe', ['value-type']],
    ['provisioning:max_share_size', '0', ['value-range']],
    ['availability_zones', 'nova,az2', []],
  ])('%s=%s', (key, value, found) => {
    expect(codes(SHARE_TYPE, key, value, required)).toEqual(found)
  })
})

describe('aggregates', () => {
  test.each([
    ['max_instances_per_host', '50', []],
    ['max_instances_per_host', '<= 50', ['operator-unread']],
    ['cpu_weight_multiplier', '-1.5', []],
    ['force_metadata_check', ' TRUE'.trim(), []],
    ['force_metadata_check', 'yes', ['value-enum']],
    ['trait:HW_CPU_X86_AVX2', 'required', []],
    ['trait:HW_CPU_X86_AVX2', 'forbidden', ['value-enum']],
    ['hw_architecture', 'x86_64, aarch64', []],
    ['hw_architecture', 'x86_64, amiga', ['value-enum']],
    ['cpu_allocation_ratio', '4.0', ['key-retired']],
    ['tier', 'gold,silver', []],
    ['tier', '<or> gold <or> silver', ['operator-unread']],
  ])('%s=%s', (key, value, found) => {
    expect(codes(AGGREGATE, key, value)).toEqual(found)
  })

  test('that force the check may use <or> and the signs', () => {
    const forced = { force_metadata_check: ' True ' }
    expect(codes(AGGREGATE, 'tier', '<or> gold <or> silver', forced)).toEqual([])
    expect(codes(AGGREGATE, 'tier', '<or> gold <or> ~', forced)).toEqual([])
    expect(codes(AGGREGATE, 'tier', '!', forced)).toEqual([])
    expect(codes(AGGREGATE, 'tier', 's== gold', forced)).toEqual(['operator-unread'])
    expect(codes(AGGREGATE, 'tier', '!')).toEqual(['value-enum'])
  })
})

describe('families of keys', () => {
  test.each([
    [FLAVOR, 'trait1:HW_CPU_X86_AVX2', 'required', 'HW_CPU_X86_AVX2'],
    [FLAVOR, 'trait_GPU:CUSTOM_FAST', 'forbidden', 'COMPUTE_ACCELERATORS'],
    [FLAVOR, 'resources_NET-1:VGPU', '2', 'VGPU'],
    [FLAVOR, 'resources:CUSTOM_GOLD', '1', 'VCPU'],
    [FLAVOR, 'hw:numa_cpus.7', '0-3', 'numa_cpus.0'],
    [IMAGE, 'hw_numa_mem.3', '512', 'numa_mem.0'],
    [AGGREGATE, 'filter_tenant_id-west', 'a,b', 'filter_tenant_id'],
    [SHARE_TYPE, 'capabilities:qos', '<is> False', 'qos'],
  ])('%s %s', (type, key, value, property) => {
    const report = one(type, key, value, { 'resources1:VGPU': '1', 'resources_GPU:VGPU': '1' })
    expect(report.definitions).toHaveLength(1)
    if (!key.includes('CUSTOM')) expect(report.definitions[0]?.property).toBe(property)
    expect(report.findings).toEqual([])
  })

  test('what a flavor says of aggregates is held against what is defined for them', () => {
    const key = 'aggregate_instance_extra_specs:tier'
    expect(one(FLAVOR, key, '<or> gold <or> silver')).toMatchObject({
      definitions: [{ namespace: 'Acme::Storage', property: 'tier' }],
      findings: [],
    })
    expect(codes(FLAVOR, key, 'lead')).toEqual(['value-enum'])
    expect(codes(FLAVOR, 'tier', 'lead')).toEqual(['value-enum'])
    expect(codes(FLAVOR, 'other:tier', 'gold')).toEqual(['key-undefined'])
    expect(one(FLAVOR, 'aggregate_instance_extra_specs:teir', 'gold').near[0]).toBe(key)
  })

  test('a value is held against what stands for the family', () => {
    const group = { 'resources1:VGPU': '1' }
    expect(codes(FLAVOR, 'trait1:CUSTOM_FAST', 'needed', group)).toEqual(['value-enum'])
    expect(codes(FLAVOR, 'hw:numa_mem.9', '0')).toEqual(['value-range'])
    expect(codes(FLAVOR, 'resources1:CUSTOM_X', 'all')).toEqual(['value-type'])
  })
})

test('traits: is a group named s, which asks for no resources', () => {
  const specs = { 'resources1:VGPU': '1', 'trait1:CUSTOM_GPU': 'required' }
  expect(check(FLAVOR, specs).keys.flatMap(({ findings }) => findings)).toEqual([])
  expect(one(FLAVOR, 'traits:HW_CPU_X86_AVX2', 'required', specs).findings).toMatchObject([
    { code: 'key-group-empty', suggestion: 'trait:HW_CPU_X86_AVX2' },
  ])
  expect(codes(AGGREGATE, 'traits:HW_CPU_X86_AVX2', 'required')).toEqual(['key-undefined'])
})

describe('near names', () => {
  test.each([
    [FLAVOR, 'hw:cpu_polcy', 'hw:cpu_policy'],
    [FLAVOR, 'hw_cpu_policy', 'hw:cpu_policy'],
    [FLAVOR, 'cpu_policy', 'hw:cpu_policy'],
    [FLAVOR, 'HW:CPU_POLICY', 'hw:cpu_policy'],
    [FLAVOR, 'hw:max_cpu_cores', null],
    [FLAVOR, 'quota:cpu_share', 'quota:cpu_shares'],
    [AGGREGATE, 'max_instance_per_host', 'max_instances_per_host'],
    [SHARE_TYPE, 'snapshot_suport', 'snapshot_support'],
    [FLAVOR, 'colour', null],
  ])('%s %s', (type, key, near) => {
    const report = one(type, key, 'x')
    expect(report.definitions).toEqual([])
    expect(report.near[0] ?? null).toBe(near)
    expect(report.findings).toMatchObject([{ code: 'key-undefined', suggestion: near }])
  })
})

test('for an unknown resource type definitions count, and values are plain', () => {
  const other = new SmallCatalog()
  const association = [{ name: 'OS::Trove::Instance' }]
  other.import([JSON.stringify({ ...OWN, resource_type_associations: association })])
  const source = sourceOf(other)
  const found = (value: string) => checkSpecs(source, 'OS::Trove::Instance', { tier: value }).keys[0]!
  expect(found('gold')).toMatchObject({ reader: null, findings: [] })
  expect(found('lead').findings).toMatchObject([{ code: 'value-enum' }])
})

test('keys like those of every object are keys like any other', () => {
  const specs = JSON.parse('{"__proto__": "x", "constructor": "y", "hasOwnProperty": "z"}')
  expect(check(AGGREGATE, specs).keys.map(({ findings }) => findings[0]?.code)).toEqual(
    Array(3).fill('key-undefined'),
  )
})

test.each(['constructor', '__proto__', 'toString', 'Acme::Thing'])(
  '%s has no reader, and no key of it a meaning',
  type => {
    expect(check(type, { name: 'a', length: '1' }).keys).toMatchObject([
      { key: 'name', reader: null, findings: [{ code: 'key-undefined' }] },
      { key: 'length', reader: null, findings: [{ code: 'key-undefined' }] },
    ])
  },
)

describe('the catalog agrees with the filter', () => {
  test.each([
    [FLAVOR, 'acme:tier', '<or> ! <or> *', {}, ['operator-pointless']],
    [FLAVOR, 'tier', '<or> gold <or> ! <or> ~', {}, ['operator-pointless']],
    [FLAVOR, 'nobody_defines', '<or> ! <or> *', {}, ['key-undefined', 'operator-pointless']],
    [FLAVOR, 'nobody_defines', '>= many', {}, ['key-undefined', 'operator-pointless']],
    [FLAVOR, 'nobody_defines', '<or> a,b', {}, ['key-undefined', 'operator-comma-form']],
    [FLAVOR, 'group_policy', '<or> ! <or> *', {}, ['operator-unread']],
    [AGGREGATE, 'tier', '<or> ! <or> *', { force_metadata_check: 'True' }, ['operator-pointless']],
    [AGGREGATE, 'filter_tenant_id', '!,~', { force_metadata_check: 'True' }, []],
  ])('%s %s=%s', (type, key, value, others, found) => {
    expect(codes(type, key, value, others as Specs)).toEqual(found)
  })

  test('a contradiction in an aggregate that is not forced is reported with its effect', () => {
    const { findings } = one(AGGREGATE, 'label', '!,*')
    expect(findings.find(({ code }) => code === 'operator-pointless')?.text).toMatch(
      /plain text now; with force/,
    )
  })

  test.each([
    [FLAVOR, 'group_policy', 'none'],
    [FLAVOR, 'hide_hypervisor_id', 'true'],
    [FLAVOR, 'free_ram_mb', '>= 4096'],
    [FLAVOR, 'trait_P1:ANY', 'in:HW_CPU_X86_AVX2,CUSTOM_PHYSNET_A'],
    [FLAVOR, 'trait:ANY', 'in:CUSTOM_A,CUSTOM_B'],
    [FLAVOR, 'trait:HW_CPU_X86_AVX2', 'in:CUSTOM_A,CUSTOM_B'],
    [FLAVOR, 'resources_P1:NET_BW_EGR_KILOBIT_PER_SEC', '1000'],
    [IMAGE, 'trait:ANY', 'in:CUSTOM_A,CUSTOM_B'],
    [AGGREGATE, 'hw:cpu_policy', 'shared'],
    [AGGREGATE, 'hw:cpu_policy', 'shared,dedicated'],
    [AGGREGATE, 'acme:tier', 'gold'],
    [AGGREGATE, 'aggregate_instance_extra_specs:tier', 'gold'],
  ])('%s: %s=%s is known and fine', (type, key, value) => {
    const report = one(type, key, value, type === FLAVOR ? { 'resources_P1:VGPU': '1' } : {})
    expect(report.definitions).not.toEqual([])
    expect(report.findings).toEqual([])
  })

  test.each([
    [FLAVOR, 'trait:ANY', 'in:CUSTOM_A,!CUSTOM_B', 'value-pattern'],
    [FLAVOR, 'trait:ANY', 'in:', 'value-pattern'],
    [FLAVOR, 'trait:ANY', 'in:CUSTOM_A,HW_NO_SUCH', 'value-enum'],
    [AGGREGATE, 'trait:ANY', 'in:CUSTOM_A,CUSTOM_B', 'key-undefined'],
    [AGGREGATE, 'group_policy', 'none', 'key-undefined'],
    [AGGREGATE, 'resources:VCPU', '4', 'key-undefined'],
    [AGGREGATE, 'hw:cpu_policy', 'pinned', 'value-enum'],
  ])('%s: %s=%s is told so', (type, key, value, code) => {
    expect(codes(type, key, value)).toEqual([code])
  })

  test('commas that a reader splits at are no comma form, and what is suggested is a list', () => {
    const forced = { force_metadata_check: 'True' }
    expect(codes(AGGREGATE, 'tier', '<or> gold,silver', forced)).toEqual([])
    expect(one(AGGREGATE, 'tier', 'undefined gold,silver', forced).findings[0]?.suggestion).toBe(
      'gold,silver',
    )
    expect(one(AGGREGATE, 'tier', '<or> gold,silver').findings[0]?.suggestion).toBe('gold,silver')
  })

  test('a suggested key is never one whose reader cannot read the value', () => {
    expect(one(FLAVOR, 'cpu_policy', 'dedicated').findings[0]?.suggestion).toBe('hw:cpu_policy')
    expect(one(FLAVOR, 'cpu_policy', '<or> shared <or> dedicated').findings[0]?.suggestion).toBeNull()
    expect(one(AGGREGATE, 'hw:cpu_polcy', 'shared').findings[0]?.suggestion).toBe('hw:cpu_policy')
    expect(
      one(FLAVOR, 'traits:HW_CPU_X86_AVX2', 'required', { 'trait:HW_CPU_X86_AVX2': 'required' }).findings,
    ).toMatchObject([{ code: 'key-group-empty', suggestion: null }])
  })

  test('a property that declares sentinels takes those and no others', () => {
    const declaring = (...operators: string[]) => {
      const catalog = new SmallCatalog()
      const properties = { k: { title: 'K', type: 'string', operators } }
      catalog.import([JSON.stringify({ ...OWN, properties, objects: [] })])
      return (value: string) =>
        checkSpecs(sourceOf(catalog), AGGREGATE, {
          k: value,
          force_metadata_check: 'True',
        }).keys[0]!.findings.map(({ code }) => code)
    }
    const some = declaring('<or>', '*', '~')
    expect([some('*'), some('<or> a <or> ~'), some('!'), some('<or> a <or> !')]).toEqual([
      [],
      [],
      ['operator-undeclared'],
      ['operator-undeclared'],
    ])
    expect(declaring('<or>')('!')).toEqual([])
  })
})
