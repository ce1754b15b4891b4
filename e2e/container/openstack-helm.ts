/** The pods that the chart placement of OpenStack-Helm makes of the image. */
import { isDeepStrictEqual } from 'node:util'
import { type IniGroups, iniText, type Pod } from './pod.ts'

/** The values that depend on the cluster. */
export interface ChartValues {
  readonly apiPort: number
  readonly statsPort: number
  readonly keystoneHost: string
  readonly keystonePort: number
  readonly keystonePassword: string
  readonly domain: string
  readonly databaseHost: string
  readonly databasePort: number
  readonly databasePassword: string
  readonly databaseName: string
}

export interface ChartPods {
  readonly sync: Pod
  readonly api: Pod
  /** Ports and paths that the kubelet probes. */
  readonly readiness: Probe
  readonly liveness: Probe
}

export interface Probe {
  readonly port: number
  readonly path: string
}

const ETC = '/etc/placement'
const READ = 0o444
const RUN = 0o555
const empty = (path: string) => ({ path, content: {}, mode: 0 })

/** As in the chart of 2026. */
export function chartPods(values: ChartValues): ChartPods {
  const conf = {
    path: `${ETC}/placement.conf`,
    content: iniText(placementConf(values)),
    mode: READ,
  }
  const logging = { path: `${ETC}/logging.conf`, content: '[loggers]\nkeys = root,placement\n', mode: READ }
  return {
    sync: {
      command: ['/bin/bash', '-c', '/tmp/db-sync.sh'],
      env: {},
      user: null,
      isReadOnly: false,
      volumes: [
        empty('/tmp'),
        { path: '/tmp/db-sync.sh', content: '#!/bin/bash\nset -ex\nplacement-manage db sync\n', mode: RUN },
        empty(ETC),
        conf,
        empty(`${ETC}/placement.conf.d`),
        logging,
      ],
    },
    api: {
      command: ['uwsgi', '--ini', `${ETC}/placement-api-uwsgi.ini`],
      env: {},
      user: 42424,
      isReadOnly: true,
      volumes: [
        empty('/tmp'),
        empty('/var/lock'),
        conf,
        { path: `${ETC}/placement.conf.d/`, content: { [SNIPPET]: iniText(snippet(values)) }, mode: READ },
        { path: `${ETC}/placement-api-uwsgi.ini`, content: iniText({ uwsgi: uwsgi(values) }), mode: READ },
        logging,
        { path: `${ETC}/policy.yaml`, content: '{}', mode: READ },
      ],
    },
    readiness: { port: values.apiPort, path: '/' },
    liveness: { port: values.statsPort, path: '/' },
  }
}

const SNIPPET = 'placement_keystone_authtoken.conf'

/** The user and the password are in a snippet, which the job that creates the tables does not have. */
function placementConf(values: ChartValues): IniGroups {
  const { keystoneHost, keystonePort, databaseHost, databasePort, databasePassword, databaseName } = values
  const address = `${databaseHost}:${databasePort}/${databaseName}`
  const keystone = `http://${keystoneHost}:${keystonePort}/v3`
  return {
    DEFAULT: { debug: 'false', log_config_append: `${ETC}/logging.conf`, use_syslog: 'false' },
    keystone_authtoken: {
      auth_type: 'password',
      auth_uri: keystone,
      auth_url: keystone,
      auth_version: 'v3',
      memcache_secret_key: 'memcache-secret',
      memcache_security_strategy: 'ENCRYPT',
      memcached_servers: 'memcached.default.svc.cluster.local:11211',
      service_token_roles: 'service',
      service_token_roles_required: 'true',
      service_type: 'placement',
    },
    oslo_concurrency: { lock_path: '/var/lock' },
    placement_database: { connection: `mysql+pymysql://placement:${databasePassword}@${address}` },
  }
}

const snippet = ({ keystonePassword, domain }: ChartValues): IniGroups => ({
  keystone_authtoken: {
    password: keystonePassword,
    project_domain_name: domain,
    project_name: 'service',
    region_name: 'RegionOne',
    user_domain_name: domain,
    username: 'placement',
  },
})

const uwsgi = ({ apiPort, statsPort }: ChartValues): Record<string, string> => ({
  'add-header': 'Connection: close',
  'buffer-size': '65535',
  'die-on-term': 'true',
  'enable-threads': 'true',
  'exit-on-reload': 'false',
  'hook-master-start': 'unix_signal:15 gracefully_kill_them_all',
  'http-socket': `0.0.0.0:${apiPort}`,
  'lazy-apps': 'true',
  'log-x-forwarded-for': 'true',
  master: 'true',
  module: 'placement.wsgi.api:application',
  processes: '1',
  'procname-prefix-spaced': 'placement-api:',
  'route-user-agent': '^kube-probe.* donotlog:',
  stats: `0.0.0.0:${statsPort}`,
  'stats-http': 'true',
  'thunder-lock': 'true',
  'worker-reload-mercy': '80',
})

/** The parts of a pod that differ from the templates. `logging.conf` is for Python and has no meaning here. */
export function findDifferentParts(ours: ChartPods, theirs: ChartPods): string[] {
  const parts = ['sync', 'api', 'readiness', 'liveness'] as const
  return parts.filter(part => !isDeepStrictEqual(meaningOf(ours[part]), meaningOf(theirs[part])))
}

const meaningOf = (part: Pod | Probe): unknown =>
  JSON.parse(
    JSON.stringify(part, (_key, value) => {
      if (value?.path === `${ETC}/logging.conf`) return { ...value, content: '' }
      return typeof value === 'string' ? value.replace(/\n+/g, '\n').trim() : value
    }),
  )
