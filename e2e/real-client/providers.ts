import assert from 'node:assert/strict'
import { type Stage, type Story, uuid } from './story.ts'

const root = uuid(10)
const child = uuid(11)
const other = uuid(12)
const aggregates = [uuid(901), uuid(902)] as const

export const providers: Story = async stage => {
  await creating(stage)
  await filtering(stage)
  await changing(stage)
  await deleting(stage)
}

async function creating({ at, claim }: Stage): Promise<void> {
  await claim('1.0: a provider is created with name and generation only', async () => {
    assert.deepEqual(await at('1.0').json(`resource provider create e2e-root --uuid ${root}`), {
      uuid: root,
      name: 'e2e-root',
      generation: 0,
    })
  })

  await claim('1.14 and later: a child knows its parent and its root', async () => {
    const create = `resource provider create e2e-child --uuid ${child} --parent-provider ${root}`
    const made = {
      uuid: child,
      name: 'e2e-child',
      generation: 0,
      root_provider_uuid: root,
      parent_provider_uuid: root,
    }
    assert.deepEqual(await at('1.14').json(create), made)
    assert.deepEqual(await at('1.39').json(`resource provider show ${child}`), made)
  })

  await claim('the server generates a missing uuid', async () => {
    const { uuid: made } = await at('1.39').json('resource provider create e2e-made')
    assert.match(made, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    await at('1.39').quiet(`resource provider delete ${made}`)
  })

  await claim('a name or a uuid in use is refused', async () => {
    const client = at('1.39')
    assert.match(
      await client.refused('resource provider create e2e-root'),
      /name: e2e-root already exists.*HTTP 409/s,
    )
    assert.match(
      await client.refused(`resource provider create e2e-new --uuid ${root}`),
      new RegExp(`uuid: ${root} already exists.*HTTP 409`, 's'),
    )
  })

  await claim('an unknown parent is refused', async () => {
    const create = `resource provider create e2e-orphan --parent-provider ${uuid(404)}`
    assert.match(await at('1.39').refused(create), /parent provider.*does not exist.*HTTP 400/is)
  })
}

/** The providers of this story that pass the filters. */
async function listProviders(stage: Stage, version: string, filters: string): Promise<string[]> {
  const rows = await stage.at(version).json(`resource provider list ${filters}`)
  return rows.map((row: { name: string }) => row.name).sort()
}

async function filtering(stage: Stage): Promise<void> {
  const { at, claim } = stage
  const client = at('1.39')
  await client.json(`resource provider create e2e-other --uuid ${other}`)
  await client.json(`resource provider inventory set ${root} --resource VCPU=8`)
  await client.json(`resource provider inventory set ${other} --resource VCPU=4`)
  await client.json(`resource provider trait set ${root} --trait HW_CPU_X86_AVX2`)
  await client.json(`resource provider trait set ${other} --trait HW_CPU_X86_AVX --trait STORAGE_DISK_SSD`)
  await at('1.1').json(`resource provider aggregate set ${root} --aggregate ${aggregates[0]}`)
  await at('1.1').json(
    `resource provider aggregate set ${other} --aggregate ${aggregates[0]} --aggregate ${aggregates[1]}`,
  )
  const cases: readonly (readonly [version: string, filters: string, left: readonly string[]])[] = [
    ['1.0', '--name e2e-child', ['e2e-child']],
    ['1.0', `--uuid ${other}`, ['e2e-other']],
    ['1.39', '--name nobody', []],
    ['1.39', `--member-of ${aggregates[1]}`, ['e2e-other']],
    ['1.39', `--member-of ${aggregates[0]},${aggregates[1]}`, ['e2e-other', 'e2e-root']],
    ['1.39', `--member-of ${aggregates[0]} --member-of ${aggregates[1]}`, ['e2e-other']],
    ['1.14', '--resource VCPU=8', ['e2e-root']],
    ['1.14', '--resource VCPU=4', ['e2e-other', 'e2e-root']],
    ['1.14', `--in-tree ${child}`, ['e2e-child', 'e2e-root']],
    ['1.29', '--required HW_CPU_X86_AVX2', ['e2e-root']],
    ['1.29', '--required HW_CPU_X86_AVX --required STORAGE_DISK_SSD', ['e2e-other']],
    ['1.29', `--forbidden STORAGE_DISK_SSD --resource VCPU=1`, ['e2e-root']],
    ['1.39', '--required HW_CPU_X86_AVX,HW_CPU_X86_AVX2', ['e2e-other', 'e2e-root']],
    ['1.39', '--required HW_CPU_X86_AVX,HW_CPU_X86_AVX2 --required STORAGE_DISK_SSD', ['e2e-other']],
  ]
  for (const [version, filters, left] of cases)
    await claim(`${version}: list ${filters.replaceAll(/e2e0[-0-9]+/g, 'UUID')}`, async () => {
      assert.deepEqual(await listProviders(stage, version, filters), left)
    })

  await claim('an unknown trait is refused as a filter', async () => {
    assert.match(
      await client.refused('resource provider list --required CUSTOM_NOT_THERE'),
      /No such trait.*HTTP 400/s,
    )
  })
}

async function changing({ at, claim }: Stage): Promise<void> {
  const client = at('1.37')

  await claim('a provider is renamed, and keeps its place', async () => {
    const shown = await client.json(`resource provider set ${child} --name e2e-renamed`)
    assert.equal(shown.name, 'e2e-renamed')
    assert.equal(shown.parent_provider_uuid, root)
  })

  await claim('before 1.37 a provider that has a parent stays with it', async () => {
    const move = `resource provider set ${child} --name e2e-child --parent-provider ${other}`
    assert.match(
      await at('1.29').refused(move),
      /re-parenting a provider is not currently allowed.*HTTP 400/s,
    )
  })

  await claim('1.37: a provider moves to another tree', async () => {
    const moved = await client.json(
      `resource provider set ${child} --name e2e-child --parent-provider ${other}`,
    )
    assert.equal(moved.parent_provider_uuid, other)
    assert.equal(moved.root_provider_uuid, other)
  })

  await claim('a provider does not move below itself', async () => {
    const move = `resource provider set ${other} --name e2e-other --parent-provider ${child}`
    assert.match(await client.refused(move), /loop.*HTTP 400/s)
  })

  await claim('an unknown provider is not found', async () => {
    assert.match(
      await client.refused(`resource provider show ${uuid(404)}`),
      /No resource provider with uuid.*HTTP 404/s,
    )
  })
}

async function deleting({ at, claim }: Stage): Promise<void> {
  const client = at('1.39')

  await claim('a provider with children is not deleted', async () => {
    assert.match(await client.refused(`resource provider delete ${other}`), /HTTP 409/)
  })

  await claim('providers are deleted from the bottom', async () => {
    for (const provider of [child, other, root]) await client.quiet(`resource provider delete ${provider}`)
    assert.match(await client.refused(`resource provider delete ${root}`), /HTTP 404/)
  })
}
