/**
 * Imports the ledger of Debian's real Placement, compares, and writes it back, as docs/how-to/replace-placement.md says.
 * Needs python3-placement, and `npm run build` before.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'

const HOSTS = 12
const TOKEN = 'admin'
const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const BERTH = fileURLToPath(new URL('../bin/berth', import.meta.url))

const directory = await mkdtemp(join(tmpdir(), 'placement-ledger-'))
const placement = await startPlacement()
const berth = await startBuiltBerth()
const claims = new Claims(line => console.log(line))
const database = `sqlite:///${directory}/placement.db`

async function startPlacement(): Promise<{ url: string; stop: () => void }> {
  const script = fileURLToPath(new URL('placement-ledger/serve-placement.py', import.meta.url))
  const child = spawn('/usr/bin/python3', [script, directory, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /^listening (\d+)$/.exec(line) ?? []
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
  }
  throw new Error('Placement does not start')
}

async function send(base: string, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: {
      'x-auth-token': base === placement.url ? TOKEN : berth.token,
      'openstack-api-version': 'placement 1.39',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

const claimBody = (host: number, vcpus: number, consumer_generation: number | null) => ({
  allocations: {
    [uuid(host)]: { resources: { VCPU: vcpus } },
    [uuid(100 + host)]: { resources: { CUSTOM_E2E_UNIT: 1 } },
  },
  project_id: 'project',
  user_id: 'user',
  consumer_type: host % 2 === 0 ? 'INSTANCE' : 'MIGRATION',
  consumer_generation,
})

/** Hosts with a device below each, traits, aggregates, and a server on most of them. */
async function fill(base: string): Promise<void> {
  await send(base, 'PUT', '/resource_classes/CUSTOM_E2E_UNIT')
  await send(base, 'PUT', '/traits/CUSTOM_E2E_MARK')
  for (let host = 1; host <= HOSTS; host++) {
    const at = `/resource_providers/${uuid(host)}`
    await send(base, 'POST', '/resource_providers', { uuid: uuid(host), name: `host ${host} (ü)` })
    await send(base, 'POST', '/resource_providers', {
      uuid: uuid(100 + host),
      name: `device-${host}`,
      parent_provider_uuid: uuid(host),
    })
    await send(base, 'PUT', `${at}/inventories`, {
      resource_provider_generation: 0,
      inventories: { VCPU: { total: 16, allocation_ratio: 1.1 + host, reserved: host } },
    })
    await send(base, 'PUT', `${at}/traits`, {
      resource_provider_generation: 1,
      traits: ['CUSTOM_E2E_MARK', 'HW_CPU_X86_AVX2'],
    })
    await send(base, 'PUT', `${at}/aggregates`, {
      resource_provider_generation: 2,
      aggregates: [uuid(900 + (host % 3))],
    })
    await send(base, 'PUT', `/resource_providers/${uuid(100 + host)}/inventories`, {
      resource_provider_generation: 0,
      inventories: { CUSTOM_E2E_UNIT: { total: 4 } },
    })
    if (host > 2) await send(base, 'PUT', `/allocations/${uuid(500 + host)}`, claimBody(host, host, null))
  }
}

/** Moves a server, deletes one, adds one, deletes a host. */
async function change(base: string): Promise<void> {
  await send(base, 'PUT', `/allocations/${uuid(503)}`, claimBody(4, 2, 1))
  await send(base, 'DELETE', `/allocations/${uuid(505)}`)
  await send(base, 'PUT', `/allocations/${uuid(600)}`, claimBody(2, 1, null))
  await send(base, 'DELETE', `/resource_providers/${uuid(101)}`)
  await send(base, 'DELETE', `/resource_providers/${uuid(1)}`)
}

interface Ran {
  readonly code: number
  readonly out: string
}

async function run(...args: string[]): Promise<Ran> {
  const env = { ...process.env, BERTH_URL: berth.url, BERTH_TOKEN: berth.token, BERTH_PLACEMENT_TOKEN: TOKEN }
  try {
    const { stdout } = await promisify(execFile)(BERTH, args, { env })
    return { code: 0, out: stdout }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout + stderr }
  }
}

async function expectEqual(...more: string[]): Promise<void> {
  const { code, out } = await run('compare', '--with', ...more)
  assert.equal(code, 0, out)
  assert.match(out, /^equal: \d+ providers/)
}

try {
  await fill(placement.url)
  await claims.claim('the database of the real Placement is imported, and compares equal', async () => {
    assert.equal((await run('compare', '--with', database)).code, 1)
    const { code, out } = await run('import', 'placement', '--from', database)
    assert.equal(code, 0, out)
    await expectEqual(database)
  })
  await claims.claim('the API of the real Placement compares equal too', () => expectEqual(placement.url))
  await claims.claim('changes there are listed, and importing again brings them over', async () => {
    await change(placement.url)
    const { code, out } = await run('compare', '--with', database)
    assert.equal(code, 1)
    assert.match(out, /provider host 1 \(ü\) \(.*\): exists/)
    assert.equal((await run('import', 'placement', '--from', placement.url, '--mirror')).code, 0)
    await expectEqual(database)
  })
  await claims.claim('changes here are written back into the real Placement', async () => {
    await send(`${berth.url}/placement`, 'PUT', `/allocations/${uuid(506)}`, claimBody(7, 3, 1))
    await send(`${berth.url}/placement`, 'DELETE', `/allocations/${uuid(508)}`)
    const { code, out } = await run('export', 'placement', '--to', placement.url, '--mirror')
    assert.equal(code, 0, out)
    await expectEqual(database, '--ignore-generations')
  })
  process.exitCode = claims.end()
} finally {
  placement.stop()
  await berth.stop()
  await rm(directory, { recursive: true, force: true })
}
