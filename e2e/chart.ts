/**
 * Renders the chart of packaging/helm as Helm does. Checks its values against their schema, every manifest against the types of
 * Kubernetes, and the configuration in it with Berth.
 *
 *   node e2e/chart.ts
 *
 * Needs Debian's golang-go, golang-github-masterminds-sprig-dev and golang-github-ghodss-yaml-dev.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { resolveConfig } from '../src/config/resolve.ts'
import { Claims } from './claims.ts'
import { renderChart } from './container/render-chart.ts'

const chart = fileURLToPath(new URL('../packaging/helm/berth', import.meta.url))
const claims = new Claims(line => console.log(line))

/** The values of clouds: one replica on SQLite, several on a database, with TLS and an ingress. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  'as it is': [],
  'on a database': [
    'database=true',
    'environmentSecret=berth-environment',
    'replicas=3',
    'adminTokenSecret=berth-admin',
  ],
  'with TLS': ['tlsSecret=berth-tls', 'config.log_level=warn', 'service.type=LoadBalancer'],
  'behind an ingress': [
    'ingress.enabled=true',
    'ingress.className=nginx',
    'ingress.tlsSecret=t',
    'persistence.storageClassName=fast',
  ],
}

const render = (...set: readonly string[]) =>
  renderChart(
    chart,
    set.flatMap(one => ['--set', one]),
    'cloud',
  )

/** Where the types of Kubernetes have each kind. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Service: 'core/v1',
  StatefulSet: 'apps/v1',
  Deployment: 'apps/v1',
  Ingress: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
}

/** Compiles the manifests as values of their types: an unknown field, or one of another type, is an error. */
async function checkTypes(manifests: ReturnType<typeof render>): Promise<void> {
  const directory = await mkdtemp(fileURLToPath(new URL('../node_modules/.chart-', import.meta.url)))
  const lines = manifests.flatMap((manifest, nth) => [
    `import type { ${manifest.kind} as Kind${nth} } from 'kubernetes-types/${TYPES[manifest.kind]}.js'`,
    `export const manifest${nth}: Kind${nth} = ${JSON.stringify(manifest)}`,
  ])
  const file = join(directory, 'manifests.ts')
  await writeFile(file, lines.join('\n'))
  const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
  ]
  try {
    execFileSync(tsc, [...options, file], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout ?? String(error))
  } finally {
    await rm(directory, { recursive: true })
  }
}

function checkConfig(manifests: ReturnType<typeof render>): void {
  const { data } = manifests.find(one => one.kind === 'ConfigMap')
  const content: unknown = JSON.parse(data['berth.json'])
  const resolved = resolveConfig({
    flags: {},
    env: {},
    file: { path: 'berth.json', content },
    terminal: false,
  })
  assert.deepEqual(resolved.ok ? [] : resolved.problems, [])
}

for (const [name, set] of Object.entries(VARIANTS)) {
  const manifests = render(...set)
  await claims.claim(`${name}: the ${manifests.length} manifests are of Kubernetes’ types`, () =>
    checkTypes(manifests),
  )
  await claims.claim(`${name}: Berth takes the configuration`, async () => checkConfig(manifests))
}

await claims.claim('a field that Kubernetes does not know is noticed', async () => {
  const [service] = render().filter(one => one.kind === 'Service')
  await assert.rejects(checkTypes([{ ...service, spec: { ...service.spec, pony: 1 } }]), /pony/)
})

await claims.claim(
  'the values are as their schema says; an unknown one and one of a wrong type are refused',
  async () => {
    const values = parse(await readFile(join(chart, 'values.yaml'), 'utf8'))
    const validate = new Ajv().compile(JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')))
    assert.equal(validate(values), true, JSON.stringify(validate.errors))
    assert.equal(validate({ ...values, pony: 1 }), false)
    assert.equal(validate({ ...values, replicas: '3' }), false)
  },
)

await claims.claim(
  'several replicas without a database, and a database without its secret, are refused',
  async () => {
    assert.throws(() => render('replicas=2'), /more than one needs a database/)
    assert.throws(() => render('database=true'), /name the Secret/)
  },
)

process.exitCode = claims.end()
