import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Stage, type Story, uuid } from './story.ts'

const run = promisify(execFile)
const PYTHON = '/usr/bin/python3'

const host = uuid(60)
const device = uuid(61)
const aggregate = uuid(960)
const consumer = uuid(560)

/** The settings and commands of docs/how-to/replace-placement.md, taken from the page. */
export const replacing: Story = async stage => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const page = await readFile(new URL('../../docs/how-to/replace-placement.md', import.meta.url), 'utf8')
  try {
    await build(stage)
    await settings(stage, blockOf(page, 'ini', 'auth_type = admin_token'), directory)
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
  // A child that is older than its parent: the copy must still have the parent first.
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
