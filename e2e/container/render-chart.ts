/** Renders a chart as Helm does, by render-chart.go. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ChartPods, ChartValues, Probe } from './openstack-helm.ts'
import type { Pod } from './pod.ts'

const READ = 0o444

/** The pods of the chart placement, by the templates of a checkout of openstack-helm. */
export function renderChartPods(checkout: string, values: ChartValues): ChartPods {
  const set = {
    'endpoints.identity.auth.placement.password': values.keystonePassword,
    'endpoints.identity.auth.placement.project_domain_name': values.domain,
    'endpoints.identity.auth.placement.user_domain_name': values.domain,
    'endpoints.identity.host_fqdn_override.internal': values.keystoneHost,
    'endpoints.identity.port.api.internal': values.keystonePort,
    'endpoints.oslo_cache.auth.memcache_secret_key': 'memcache-secret',
    'endpoints.placement.port.api.service': values.apiPort,
    'endpoints.oslo_db.auth.placement.password': values.databasePassword,
    'endpoints.oslo_db.host_fqdn_override.internal': values.databaseHost,
    'endpoints.oslo_db.path': `/${values.databaseName}`,
    'endpoints.oslo_db.port.mysql.internal': values.databasePort,
    'conf.placement_api_uwsgi.uwsgi.stats': `0.0.0.0:${values.statsPort}`,
    'pod.probes.placement.api.liveness.port': values.statsPort,
  }
  const options = Object.entries(set).flatMap(([path, value]) => ['--set', `${path}=${value}`])
  const manifests = renderChart(`${checkout}/placement`, [
    '--library',
    `${checkout}/helm-toolkit`,
    ...options,
  ])
  const find = (kind: string, name: string) =>
    manifests.find(one => one.kind === kind && one.metadata.name === name)
  const sync = find('Job', 'placement-db-sync').spec.template.spec
  const api = find('Deployment', 'placement-api').spec.template.spec
  const [container] = api.containers
  const probe = ({ httpGet }: { httpGet: Probe }): Probe => ({
    port: Number(httpGet.port),
    path: httpGet.path,
  })
  return {
    sync: podOf(sync, manifests),
    api: podOf(api, manifests),
    readiness: probe(container.readinessProbe),
    liveness: probe(container.livenessProbe),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: manifests have every shape
type Manifest = any

const GO = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '-buildvcs=false' }

export function renderChart(chart: string, options: readonly string[] = [], name = 'placement'): Manifest[] {
  const program = fileURLToPath(new URL('render-chart.go', import.meta.url))
  const out = execFileSync('go', ['run', program, ...options, name, chart], {
    encoding: 'utf8',
    env: { ...process.env, ...GO },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

/** The first container of a pod, as the kubelet runs it. */
function podOf(spec: Manifest, manifests: readonly Manifest[]): Pod {
  const [container] = spec.containers
  const context = { ...spec.securityContext, ...container.securityContext }
  return {
    command: container.command,
    env: Object.fromEntries((container.env ?? []).map((one: Manifest) => [one.name, one.value])),
    user: context.runAsUser ?? null,
    isReadOnly: context.readOnlyRootFilesystem === true,
    volumes: container.volumeMounts.map(({ name, mountPath, subPath }: Manifest) => {
      const volume = spec.volumes.find((one: Manifest) => one.name === name)
      const files = filesOf(volume, manifests)
      return {
        path: mountPath,
        content: subPath === undefined ? files : (files[subPath] as string),
        mode: modeOf(volume, files),
      }
    }),
  }
}

function modeOf(volume: Manifest, files: object): number {
  if (Object.keys(files).length === 0) return 0
  return (volume.secret ?? volume.configMap)?.defaultMode ?? READ
}

function filesOf(volume: Manifest, manifests: readonly Manifest[]): Record<string, string> {
  const data = (kind: string, name: string) =>
    manifests.find(one => one.kind === kind && one.metadata.name === name).data as Record<string, string>
  const secret = (name: string) =>
    Object.fromEntries(
      Object.entries(data('Secret', name)).map(([file, text]) => [
        file,
        Buffer.from(text, 'base64').toString(),
      ]),
    )
  if (volume.configMap !== undefined) return data('ConfigMap', volume.configMap.name)
  if (volume.secret !== undefined) return secret(volume.secret.secretName)
  const sources: Manifest[] = volume.projected?.sources ?? []
  return Object.assign({}, ...sources.map(one => secret(one.secret.name)))
}
