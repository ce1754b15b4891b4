import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Server } from './openstack.ts'
import { type Stage, type Story, uuid } from './story.ts'

const run = promisify(execFile)
const PYTHON = '/usr/bin/python3'

const host = uuid(60)
const device = uuid(61)
const aggregate = uuid(960)
const consumer = uuid(560)

/** What docs/how-to/replace-placement.md tells an operator to write and to run, taken from the page. */
export const replacing: Story = async stage => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const page = await readFile(new URL('../../docs/how-to/replace-placement.md', import.meta.url), 'utf8')
  try {
    await build(stage)
    await settings(stage, blockOf(page, 'ini', 'auth_type = admin_token'), directory)
    await copying(stage, blockOf(page, 'python'), directory)
    await takeDown(stage)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The first block of a language that has a line. */
export function blockOf(page: string, language: string, line = ''): string {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
  const block = [...blocks].map(([, text]) => text as string).find(text => text.includes(line))
  assert(block !== undefined, `the page has no block of ${language} with '${line}'`)
  return block
}

async function build({ at }: Stage): Promise<void> {
  const client = at('1.39')
  await client.quiet('resource class create CUSTOM_E2E_UNIT')
  await client.quiet('trait create CUSTOM_E2E_MARK')
  await client.json(`resource provider create e2e-moved-device --uuid ${device}`)
  await client.json(`resource provider create e2e-moved-host --uuid ${host}`)
  // A child that is older than its parent: the copy must still name the parent first.
  await client.json(`resource provider set ${device} --name e2e-moved-device --parent-provider ${host}`)
  await client.json(
    `resource provider inventory set ${host} --resource VCPU=8 --resource VCPU:allocation_ratio=2.5`,
  )
  await client.json(`resource provider inventory set ${device} --resource CUSTOM_E2E_UNIT=3`)
  await client.json(`resource provider trait set ${device} --trait CUSTOM_E2E_MARK`)
  await at('1.1').json(`resource provider aggregate set ${host} --aggregate ${aggregate}`)
  await client.json(
    `resource provider allocation set ${consumer} --allocation rp=${host},VCPU=2 --allocation rp=${device},CUSTOM_E2E_UNIT=1 --project-id p --user-id u --consumer-type INSTANCE`,
  )
}

async function takeDown({ at }: Stage): Promise<void> {
  const client = at('1.39')
  await client.quiet(`resource provider allocation delete ${consumer}`)
  for (const provider of [device, host]) await client.quiet(`resource provider delete ${provider}`)
  await client.quiet('trait delete CUSTOM_E2E_MARK')
  await client.quiet('resource class delete CUSTOM_E2E_UNIT')
}

async function settings({ server, claim }: Stage, ini: string, directory: string): Promise<void> {
  await claim('the settings of the page lead Nova and Neutron to Berth', async () => {
    const file = join(directory, 'nova.conf')
    const filledIn = ini
      .replace(/^endpoint = .*$/m, `endpoint = ${server.endpoint}`)
      .replace(/^token = .*$/m, `token = ${server.token}`)
    await writeFile(file, filledIn, { mode: 0o600 })
    const { stdout } = await run(PYTHON, [fileURLToPath(new URL('as-nova.py', import.meta.url)), file])
    const providers = ['e2e-moved-device', 'e2e-moved-host']
    assert.deepEqual(JSON.parse(stdout), { adapter: providers, sdk: providers, version: 'placement 1.36' })
  })
}

async function copying({ server, claim }: Stage, python: string, directory: string): Promise<void> {
  const script = join(directory, 'read-placement.py')
  await writeFile(script, python)
  const read = async (version: string) => {
    const env = { ...process.env, PLACEMENT: server.endpoint, TOKEN: server.token, VERSION: version }
    return (await run(PYTHON, [script], { env })).stdout
  }

  await claim('the script of the page reads everything, parents first', async () => {
    const lines = (await read('1.39'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(lines, expected)
  })

  await claim('at an older version consumers have no type', async () => {
    const lines = (await read('1.36'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(lines.find(line => line.consumer !== undefined).consumer.consumer_type, null)
  })

  await claim('what the script wrote can be imported, and changes nothing where it came from', async () => {
    const report = await imported(server, await read('1.39'))
    assert.equal(report.lines, expected.length)
    for (const [kind, count] of Object.entries(counts))
      assert.deepEqual(report[kind], { created: 0, updated: 0, unchanged: count }, kind)
  })
}

async function imported(server: Server, lines: string): Promise<Record<string, unknown>> {
  const answer = await fetch(new URL('/v1/import', server.endpoint), {
    method: 'POST',
    headers: { 'x-auth-token': server.token, 'content-type': 'application/x-ndjson' },
    body: lines,
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text)
}

const record = (total: number, allocation_ratio = 1) => ({
  total,
  reserved: 0,
  min_unit: 1,
  max_unit: 2_147_483_647,
  step_size: 1,
  allocation_ratio,
})

const counts = { resource_classes: 1, traits: 1, providers: 2, consumers: 1 }

const expected = [
  { berth_export: 1, revision: 0 },
  { resource_class: { name: 'CUSTOM_E2E_UNIT' } },
  { trait: { name: 'CUSTOM_E2E_MARK' } },
  {
    provider: {
      uuid: host,
      name: 'e2e-moved-host',
      generation: 2,
      parent_provider_uuid: null,
      inventories: { VCPU: record(8, 2.5) },
      traits: [],
      aggregates: [aggregate],
    },
  },
  {
    provider: {
      uuid: device,
      name: 'e2e-moved-device',
      generation: 3,
      parent_provider_uuid: host,
      inventories: { CUSTOM_E2E_UNIT: record(3) },
      traits: ['CUSTOM_E2E_MARK'],
      aggregates: [],
    },
  },
  {
    consumer: {
      uuid: consumer,
      generation: 1,
      project_id: 'p',
      user_id: 'u',
      consumer_type: 'INSTANCE',
      allocations: {
        [host]: { resources: { VCPU: 2 } },
        [device]: { resources: { CUSTOM_E2E_UNIT: 1 } },
      },
    },
  },
  { end: counts },
]
