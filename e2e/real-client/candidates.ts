import assert from 'node:assert/strict'
import { type Stage, type Story, uuid } from './story.ts'

const nodes = { fast: uuid(50), plain: uuid(51) } as const
const numa = [uuid(52), uuid(53)] as const
const networks = [uuid(54), uuid(55)] as const
const shared = uuid(56)
const aggregate = uuid(950)

export const candidates: Story = async stage => {
  await build(stage)
  await plainRequests(stage)
  await traitRequests(stage)
  await groupRequests(stage)
  await wrongRequests(stage)
  for (const provider of [...networks, ...numa, nodes.fast, nodes.plain, shared])
    await stage.at('1.39').quiet(`resource provider delete ${provider}`)
}

/** A host with two NUMA nodes and a network device at each, a plain one, and storage that both share. */
async function build({ at }: Stage): Promise<void> {
  const client = at('1.39')
  const create = (name: string, provider: string, parent?: string) =>
    client.json(
      `resource provider create ${name} --uuid ${provider}${parent === undefined ? '' : ` --parent-provider ${parent}`}`,
    )
  const stock = (provider: string, ...resources: readonly string[]) =>
    client.json(
      `resource provider inventory set ${provider} ${resources.map(one => `--resource ${one}`).join(' ')}`,
    )
  await create('e2e-fast', nodes.fast)
  await create('e2e-plain', nodes.plain)
  await create('e2e-shared', shared)
  await stock(nodes.plain, 'VCPU=8', 'MEMORY_MB=8192')
  await stock(shared, 'DISK_GB=1000')
  for (const [at, node] of numa.entries()) {
    await create(`e2e-numa${at}`, node, nodes.fast)
    await create(`e2e-net${at}`, networks[at] as string, node)
    await stock(node, 'VCPU=4', 'MEMORY_MB=4096')
    await stock(networks[at] as string, 'SRIOV_NET_VF=2')
    await client.json(`resource provider trait set ${node} --trait HW_NUMA_ROOT --trait HW_CPU_X86_AVX2`)
  }
  await client.json(`resource provider trait set ${nodes.plain} --trait HW_CPU_X86_AVX`)
  await client.json(
    `resource provider trait set ${shared} --trait MISC_SHARES_VIA_AGGREGATE --trait STORAGE_DISK_SSD`,
  )
  for (const provider of [nodes.fast, nodes.plain, shared])
    await at('1.1').json(`resource provider aggregate set ${provider} --aggregate ${aggregate}`)
}

interface Row {
  readonly '#': number
  readonly allocation: string
  readonly 'resource provider': string
  readonly 'inventory used/capacity': string
  readonly traits?: string
}

/** Each candidate as a sorted list of amounts by provider. */
async function listCandidates({ at }: Stage, version: string, request: string): Promise<string[]> {
  const rows: Row[] = await at(version).json(`allocation candidate list ${request}`)
  const byNumber = Map.groupBy(rows, row => row['#'])
  return [...byNumber.values()]
    .map(parts =>
      parts
        .map(part => `${names.get(part['resource provider'])} ${part.allocation}`)
        .sort()
        .join(' + '),
    )
    .sort()
}

const names = new Map<string, string>([
  [nodes.fast, 'fast'],
  [nodes.plain, 'plain'],
  [numa[0], 'numa0'],
  [numa[1], 'numa1'],
  [networks[0], 'net0'],
  [networks[1], 'net1'],
  [shared, 'shared'],
])

async function expectAll(
  stage: Stage,
  cases: readonly (readonly [version: string, request: string, found: readonly string[]])[],
): Promise<void> {
  for (const [version, request, found] of cases)
    await stage.claim(`${version}: ${request.replaceAll(/e2e0[-0-9]+/g, 'UUID')}`, async () => {
      assert.deepEqual(await listCandidates(stage, version, request), found)
    })
}

async function plainRequests(stage: Stage): Promise<void> {
  await expectAll(stage, [
    ['1.10', '--resource VCPU=8', ['plain VCPU=8']],
    ['1.29', '--resource VCPU=8', ['plain VCPU=8']],
    ['1.29', '--resource VCPU=4', ['numa0 VCPU=4', 'numa1 VCPU=4', 'plain VCPU=4']],
    ['1.29', '--resource VCPU=9', []],
    ['1.29', '--resource VCPU=8 --resource DISK_GB=10', ['plain VCPU=8 + shared DISK_GB=10']],
    ['1.29', `--resource VCPU=8 --member-of ${aggregate}`, ['plain VCPU=8']],
    ['1.29', `--resource VCPU=8 --member-of ${uuid(951)}`, []],
    ['1.39', `--resource VCPU=8 --member-of ${aggregate},${uuid(951)}`, ['plain VCPU=8']],
    ['1.39', `--resource VCPU=8 --member-of ${aggregate} --member-of ${uuid(951)}`, []],
  ])

  await stage.claim('a limit bounds the number of candidates', async () => {
    assert.equal((await listCandidates(stage, '1.29', '--resource VCPU=1 --limit 2')).length, 2)
  })

  await stage.claim('each part shows inventory and traits', async () => {
    const [row] = await stage.at('1.29').json('allocation candidate list --resource VCPU=8')
    assert.equal(row['inventory used/capacity'], 'VCPU=0/8,MEMORY_MB=0/8192')
    assert.equal(row.traits, 'HW_CPU_X86_AVX')
  })
}

async function traitRequests(stage: Stage): Promise<void> {
  const both = ['numa0 VCPU=1', 'numa1 VCPU=1']
  await expectAll(stage, [
    ['1.29', '--resource VCPU=1 --required HW_CPU_X86_AVX2', both],
    ['1.29', '--resource VCPU=1 --required HW_CPU_X86_AVX2 --required HW_NUMA_ROOT', both],
    ['1.29', '--resource VCPU=1 --required HW_CPU_X86_AVX2 --required HW_CPU_X86_AVX', []],
    ['1.29', '--resource VCPU=1 --forbidden HW_CPU_X86_AVX2', ['plain VCPU=1']],
    ['1.39', '--resource VCPU=1 --required HW_CPU_X86_AVX,HW_CPU_X86_AVX2', [...both, 'plain VCPU=1']],
    ['1.39', '--resource VCPU=1 --required HW_CPU_X86_AVX,HW_CPU_X86_AVX2 --required HW_NUMA_ROOT', both],
    [
      '1.39',
      '--resource VCPU=1 --required HW_CPU_X86_AVX,HW_CPU_X86_AVX2 --required HW_CPU_X86_AVX,STORAGE_DISK_SSD',
      ['plain VCPU=1'],
    ],
    [
      '1.39',
      '--resource VCPU=1 --required HW_CPU_X86_AVX,HW_CPU_X86_AVX2 --forbidden HW_NUMA_ROOT',
      ['plain VCPU=1'],
    ],
  ])
}

async function groupRequests(stage: Stage): Promise<void> {
  const two = '--group 1 --resource SRIOV_NET_VF=1 --group 2 --resource SRIOV_NET_VF=1'
  const apart = ['net0 SRIOV_NET_VF=1 + net1 SRIOV_NET_VF=1', 'net0 SRIOV_NET_VF=1 + net1 SRIOV_NET_VF=1']
  await expectAll(stage, [
    ['1.29', `${two} --group-policy isolate`, apart],
    ['1.29', `${two} --group-policy none`, [...apart, 'net0 SRIOV_NET_VF=2', 'net1 SRIOV_NET_VF=2']],
    [
      '1.39',
      '--resource VCPU=4 --group 1 --resource SRIOV_NET_VF=2',
      [
        'net0 SRIOV_NET_VF=2 + numa0 VCPU=4',
        'net0 SRIOV_NET_VF=2 + numa1 VCPU=4',
        'net1 SRIOV_NET_VF=2 + numa0 VCPU=4',
        'net1 SRIOV_NET_VF=2 + numa1 VCPU=4',
      ],
    ],
    [
      // The client knows names of one letter only.
      '1.39',
      '--group C --resource VCPU=8 --required HW_CPU_X86_AVX --group D --resource DISK_GB=5 --required STORAGE_DISK_SSD,STORAGE_DISK_HDD',
      ['plain VCPU=8 + shared DISK_GB=5'],
    ],
  ])
}

async function wrongRequests({ at, claim }: Stage): Promise<void> {
  await claim('an unknown class or trait is refused', async () => {
    const client = at('1.39')
    assert.match(
      await client.refused('allocation candidate list --resource CUSTOM_NOT_THERE=1'),
      /CUSTOM_NOT_THERE.*HTTP 400/s,
    )
    assert.match(
      await client.refused('allocation candidate list --resource VCPU=1 --required CUSTOM_NOT_THERE'),
      /No such trait.*CUSTOM_NOT_THERE.*HTTP 400/s,
    )
  })
}
