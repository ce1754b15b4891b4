/** The files and settings that Kolla-Ansible gives to the container of Placement. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parseIni } from '../../src/config/oslo/ini.ts'
import { iniText, type Pod } from './pod.ts'

/** Variables of Kolla-Ansible, by its names. */
export interface KollaVariables {
  readonly api_interface_address: string
  readonly placement_api_listen_port: string
  readonly keystone_internal_url: string
  readonly keystone_public_url: string
  readonly placement_keystone_password: string
  readonly placement_database_password: string
  readonly placement_database_address: string
  readonly placement_enable_tls_backend: boolean
  readonly kolla_copy_ca_into_containers: boolean
}

type Files = Readonly<Record<string, string>>

const CONFIG = '/var/lib/kolla/config_files'
const MEMCACHED = '127.0.0.1:11211'

/** The files of /etc/kolla/placement-api on the host, as the role placement of 2026 writes them. */
export function kollaFiles(variables: KollaVariables): Files {
  return {
    'config.json': JSON.stringify(configJson(variables)),
    'placement.conf': iniText(placementConf(variables)),
    'placement-api-uwsgi.ini': iniText({ uwsgi: uwsgi(variables) }),
    'migrate-db.rc': 'PLACEMENT_DB=placement\n',
  }
}

function configJson(variables: KollaVariables): object {
  const copied = (name: string, dest = `/etc/placement/${name}`) => ({
    source: `${CONFIG}/${name}`,
    dest,
    owner: 'placement',
    perm: '0600',
  })
  const certificates = ['placement-cert.pem', 'placement-key.pem'].map(name =>
    copied(name, `/etc/placement/certs/${name}`),
  )
  const authorities = {
    ...copied('ca-certificates', '/var/lib/kolla/share/ca-certificates'),
    owner: 'root',
    perm: '0644',
  }
  const logs = '/var/log/kolla'
  return {
    command: 'uwsgi /etc/placement/placement-api-uwsgi.ini',
    config_files: [
      copied('placement.conf'),
      copied('placement-api-uwsgi.ini'),
      copied('migrate-db.rc'),
      ...(variables.placement_enable_tls_backend ? certificates : []),
      ...(variables.kolla_copy_ca_into_containers ? [authorities] : []),
    ],
    directories: [
      { path: logs, owner: 'fluentd:kolla', perm: '2775' },
      { path: `${logs}/placement`, owner: 'placement:kolla', perm: '2775' },
    ],
    files: [{ path: `${logs}/placement/placement-api.log`, owner: 'placement:kolla', perm: '0664' }],
    permissions: [{ path: `${logs}/placement/*.log`, owner: 'placement:kolla', perm: '0664' }],
  }
}

function placementConf(variables: KollaVariables) {
  const { placement_database_password: password, placement_database_address: address } = variables
  return {
    DEFAULT: {
      debug: 'False',
      log_file: '/var/log/kolla/placement/placement-api.log',
      state_path: '/var/lib/placement',
    },
    oslo_middleware: { enable_proxy_headers_parsing: 'true' },
    oslo_concurrency: { lock_path: '/var/lib/placement/tmp' },
    placement_database: {
      connection: `mysql+pymysql://placement:${password}@${address}/placement`,
      connection_recycle_time: '10',
      max_overflow: '1000',
      max_pool_size: '1',
      max_retries: '-1',
    },
    cache: { backend: 'oslo_cache.memcache_pool', enabled: 'true', memcache_servers: MEMCACHED },
    keystone_authtoken: {
      service_type: 'placement',
      www_authenticate_uri: variables.keystone_public_url,
      auth_url: variables.keystone_internal_url,
      auth_type: 'password',
      project_domain_id: 'default',
      user_domain_id: 'default',
      project_name: 'service',
      username: 'placement',
      password: variables.placement_keystone_password,
      cafile: '',
      region_name: 'RegionOne',
      memcache_security_strategy: 'ENCRYPT',
      memcache_secret_key: 'memcache-secret',
      memcached_servers: MEMCACHED,
    },
  }
}

function uwsgi(variables: KollaVariables): Record<string, string> {
  const address = `${variables.api_interface_address}:${variables.placement_api_listen_port}`
  const certs = '/etc/placement/certs'
  return {
    'add-header': 'Connection: close',
    'buffer-size': '65535',
    'die-on-term': 'true',
    'enable-threads': 'true',
    'exit-on-reload': 'false',
    'hook-master-start': 'unix_signal:15 gracefully_kill_them_all',
    ...(variables.placement_enable_tls_backend
      ? { https: `${address},${certs}/placement-cert.pem,${certs}/placement-key.pem` }
      : { http: address }),
    'http-auto-chunked': 'true',
    'http-chunked-input': 'true',
    'http-raw-body': 'true',
    'lazy-apps': 'true',
    logto2: '/var/log/kolla/placement/placement-api-uwsgi.log',
    master: 'true',
    module: 'placement.wsgi.api:application',
    'plugins-dir': '/usr/lib/uwsgi/plugins',
    plugins: 'python3',
    processes: '5',
    'socket-timeout': '30',
    'thunder-lock': 'true',
    uid: 'placement',
    'worker-reload-mercy': '80',
    'static-map': '/static=/var/lib/kolla/venv/lib/python3/site-packages/static',
  }
}

/** The same files by the templates of a checkout of kolla-ansible. */
export function renderKolla(checkout: string, variables: KollaVariables): Files {
  const script = fileURLToPath(new URL('render-kolla.py', import.meta.url))
  const out = execFileSync('/usr/bin/python3', [script, checkout, JSON.stringify(variables)], {
    encoding: 'utf8',
  })
  return JSON.parse(out) as Files
}

/** The names of the files that differ from those of the templates. */
export function findDifferent(ours: Files, theirs: Files): string[] {
  const meaning = (name: string, text: string | undefined): unknown => {
    if (text === undefined) return null
    if (name.endsWith('.json')) return JSON.parse(text)
    if (name.endsWith('.rc')) return text.includes('PLACEMENT_DB=placement')
    return parseIni(text).map(({ section, key, value }) => ({ section, key, value }))
  }
  return Object.keys(theirs).filter(
    name => !isDeepStrictEqual(meaning(name, ours[name]), meaning(name, theirs[name])),
  )
}

/** A container as Kolla-Ansible starts it, with additional `env`. Its files are root's. */
export const kollaPod = (files: Files, env: Readonly<Record<string, string>> = {}): Pod => ({
  command: null,
  env: { KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...env },
  user: null,
  isReadOnly: false,
  volumes: [
    { path: CONFIG, content: files, mode: 0o660 },
    { path: '/var/log/kolla', content: {}, mode: 0 },
  ],
})
