import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ordinaryConfig } from '../../test/running-berth.ts'
import { createLog } from '../http/ops/log.ts'
import { Registry } from '../http/ops/metrics.ts'
import { systemClock } from '../kernel/clock.ts'
import { FakeCloud } from '../openstack/cloud/fake-cloud.fixture.ts'
import { serveNova } from '../openstack/reconcile/nova-answers.fixture.ts'
import { type Cloud, clouds } from '../openstack/reconcile/random-cloud.fixture.ts'
import { MemoryStore } from '../store/memory-store.fixture.ts'
import { addReconcileMetrics, ReconcileCheck } from './reconcile-check.ts'
import { startServer } from './start.ts'

const [{ nova }] = fc.sample(clouds, { numRuns: 1, seed: 3 }) as [Cloud]
const NOTHING = { ...nova, servers: new Map(), migrations: [], computes: [], serviceHosts: new Set<string>() }

let fake: FakeCloud
let directory: string
const env: Record<string, string> = {}

beforeEach(async () => {
  fake = await FakeCloud.start()
  directory = await mkdtemp(join(tmpdir(), 'reconcile-'))
  env.OS_CLIENT_CONFIG_FILE = join(directory, 'clouds.yaml')
  const auth = `{auth_url: "${fake.url}/identity", username: berth, password: sesame, project_name: admin}`
  await writeFile(env.OS_CLIENT_CONFIG_FILE, `clouds: {fake: {region_name: RegionOne, auth: ${auth}}}\n`)
})
afterEach(async () => {
  await fake.end()
  await rm(directory, { recursive: true })
})

function makeCheck(cloud: string | null) {
  const lines: string[] = []
  const log = createLog({ stream: { write: text => lines.push(text) }, level: 'info', format: 'json' })
  const place = { env, homeDirectory: directory, workingDirectory: directory }
  const store = new MemoryStore()
  const check = new ReconcileCheck({
    cloud,
    intervalMs: 60_000,
    settleMs: 0,
    clock: systemClock,
    store,
    log,
    place,
  })
  const metrics = new Registry()
  addReconcileMetrics(metrics, () => check.figures)
  return { check, metrics, lines, log }
}

test('findings are counted by kind, listed and logged', async () => {
  serveNova(fake, { ...nova, servers: new Map(), migrations: [] })
  const { check, metrics, lines, log } = makeCheck('fake')
  await check.check()
  expect(check.state).toMatchObject({
    cloud: 'fake',
    interval_seconds: 60,
    running: false,
    failure: null,
    last: { counts: { 'missing-provider': nova.computes.length }, findings_omitted: 0 },
  })
  expect(metrics.render()).toMatch(
    `berth_reconcile_findings{kind="missing-provider"} ${nova.computes.length}\n`,
  )
  expect(metrics.render()).toMatch('berth_reconcile_findings{kind="orphaned"} 0\n')
  log.flush()
  expect(lines.join('')).toMatch(/"msg":"the ledger differs from Nova".*"missing-provider":5/)
})

test('a cloud that does not answer is a failure, and the last result stays', async () => {
  serveNova(fake, NOTHING)
  const { check, metrics } = makeCheck('fake')
  await check.check()
  const { last } = check.state
  fake.compute.delete('/os-services')
  await check.check()
  expect(check.state).toMatchObject({ last, failure: { reason: expect.stringMatching(/os-services/) } })
  expect(metrics.render()).toMatch('berth_reconcile_failures_total 1\n')
})

test('without a cloud nothing is checked', async () => {
  const { check } = makeCheck(null)
  check.start()
  expect([check.state.cloud, check.state.running]).toEqual([null, false])
  await check.stop()
})

test('a server with reconcile_cloud checks itself after its start, and GET /v1/reconcile has the result', async () => {
  serveNova(fake, NOTHING)
  const config = { ...ordinaryConfig(), port: 0, auth: 'noauth2', rbac: 'legacy', catalog_builtin: false }
  const server = await startServer({ ...config, data_dir: directory, reconcile_cloud: 'fake' } as never, {
    version: 'test',
    log: () => undefined,
    libpq: { env, homeDirectory: directory },
  })
  try {
    const ask = async (path: string) =>
      fetch(`${server.url}${path}`, { headers: { 'x-auth-token': 'admin' } })
    await vi.waitFor(async () => {
      const state = (await (await ask('/v1/reconcile')).json()) as { last: unknown }
      expect(state.last).toMatchObject({ cloud: 'fake', findings: [], compared: { servers: 0 } })
    }, 10_000)
    expect(await (await ask('/metrics')).text()).toMatch(/berth_reconcile_success_timestamp_seconds [1-9]/)
  } finally {
    await server.drain()
  }
})
