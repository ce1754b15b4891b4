import type { KeyName } from '../keys.ts'
import { type OptionType, type OsloOption, type OtherName, withoutMeaning } from './option.ts'

const CACHE = 'Each process keeps the answers of Keystone in memory: see `keystone_cache_s`.'
const ENDPOINT = 'Berth goes to `auth_url` and looks at no catalog.'
const RETRY = 'See `keystone_timeout_ms`.'

const key = (
  name: string,
  type: OptionType,
  becomes: KeyName,
  otherNames: readonly OtherName[] = [],
  says = 'The same.',
): OsloOption => ({ name, type, becomes: [becomes], otherNames, says })

/** Options with this server's credentials in Keystone; `auth_section` may move them to another group. */
const signInOptions: readonly OsloOption[] = [
  key('auth_url', 'text', 'keystone_url', [], 'The same, with or without the version.'),
  {
    name: 'username',
    type: 'text',
    otherNames: ['user-name', 'user_name', 'admin_user'],
    becomes: ['keystone_username'],
    says: 'The same.',
  },
  key('password', 'text', 'keystone_password', ['admin_password']),
  key('project_name', 'text', 'keystone_project', ['tenant-name', 'tenant_name', 'admin_tenant_name']),
  key('user_domain_name', 'text', 'keystone_user_domain'),
  key('user_domain_id', 'text', 'keystone_user_domain_id'),
  key('project_domain_name', 'text', 'keystone_project_domain'),
  key('project_domain_id', 'text', 'keystone_project_domain_id'),
  {
    name: 'default_domain_name',
    type: 'text',
    becomes: ['keystone_user_domain', 'keystone_project_domain'],
    says: 'Both, where the option of the one is not set.',
    apply: (value, draft) => {
      draft.set('keystone_user_domain', value)
      draft.set('keystone_project_domain', value)
    },
  },
  {
    name: 'default_domain_id',
    type: 'text',
    becomes: ['keystone_user_domain_id', 'keystone_project_domain_id'],
    says: 'Both, where neither name nor id of the one is set.',
    apply: (value, draft) => {
      if (draft.other('user_domain_name') === null) draft.set('keystone_user_domain_id', value)
      if (draft.other('project_domain_name') === null) draft.set('keystone_project_domain_id', value)
    },
  },
  {
    name: 'auth_type',
    type: 'text',
    otherNames: ['auth_plugin'],
    becomes: [],
    says: '`password` or `v3password`; others are refused.',
    apply: (value, draft) => {
      if (value !== 'password' && value !== 'v3password')
        draft.refuse('is not a way that Berth can sign in to Keystone', 'allowed: password, v3password')
    },
  },
  {
    name: 'user_id',
    type: 'text',
    becomes: [],
    says: 'Berth signs in by name: give `username` and its domain.',
    apply: (_, draft) =>
      draft.other('username') === null && draft.other('user_name') === null
        ? draft.refuse('is not supported', 'set username and user_domain_name or user_domain_id')
        : draft.ignore('username is used'),
  },
  {
    name: 'project_id',
    type: 'text',
    otherNames: ['tenant-id', 'tenant_id'],
    becomes: [],
    says: 'Berth signs in by name: give `project_name` and its domain.',
    apply: (_, draft) =>
      draft.other('project_name') === null && draft.other('tenant_name') === null
        ? draft.refuse('is not supported', 'set project_name and project_domain_name or project_domain_id')
        : draft.ignore('project_name is used'),
  },
  withoutMeaning('system_scope', 'text', 'Berth signs in to a project.'),
  withoutMeaning('domain_id', 'text', 'Berth signs in to a project.'),
  withoutMeaning('domain_name', 'text', 'Berth signs in to a project.'),
  withoutMeaning('trust_id', 'text', 'Berth signs in as its own user.'),
]

/** Names of the options that `auth_section` moves. */
export const SIGN_IN_OPTIONS: ReadonlySet<OsloOption> = new Set(signInOptions)

/** Older than `auth_type`; Placement itself has dropped it. */
const removedOption = (name: string, type: OptionType): OsloOption => ({
  name,
  type,
  becomes: [],
  says: 'Refused unless `auth_url` is set.',
  apply: (_, draft) =>
    draft.other('auth_url') === null
      ? draft.refuse('is not supported', 'set auth_url, username, password and project_name')
      : draft.ignore('auth_url is used'),
})

const seconds = (value: unknown): number => Math.max(0, Number(value))

export const keystoneOptions: readonly OsloOption[] = [
  ...signInOptions,
  {
    name: 'identity_uri',
    type: 'text',
    becomes: ['keystone_url'],
    says: 'Its address, where `auth_url` is not set.',
    apply: (value, draft) => draft.set('keystone_url', withoutVersion(String(value))),
  },
  {
    name: 'www_authenticate_uri',
    type: 'text',
    otherNames: ['auth_uri'],
    becomes: ['keystone_public_url', 'keystone_url'],
    says: 'The first; the second, too, where neither `auth_url` nor `identity_uri` is set.',
    apply: (value, draft) => {
      draft.set('keystone_public_url', value)
      draft.set('keystone_url', withoutVersion(String(value)))
    },
  },
  {
    name: 'auth_section',
    type: 'text',
    becomes: [],
    says: 'The options above up to `trust_id` are read from that group instead.',
    apply: () => undefined,
  },
  key('cafile', 'text', 'keystone_ca_file'),
  key('insecure', 'boolean', 'keystone_insecure'),
  {
    name: 'token_cache_time',
    type: 'integer',
    becomes: ['keystone_cache_s'],
    says: 'The same, an hour at most; -1 is 0. Without it Berth’s default of 10 seconds holds, not the 300 of Placement.',
    apply: (value, draft) => draft.set('keystone_cache_s', Math.min(seconds(value), 3_600)),
  },
  {
    name: 'http_connect_timeout',
    type: 'integer',
    becomes: ['keystone_timeout_ms'],
    says: 'Seconds become milliseconds.',
    apply: (value, draft) => draft.set('keystone_timeout_ms', seconds(value) * 1000),
  },
  ...['auth_host', 'auth_protocol', 'auth_admin_prefix', 'admin_token'].map(name =>
    removedOption(name, 'text'),
  ),
  removedOption('auth_port', 'integer'),
  withoutMeaning('http_request_max_retries', 'integer', RETRY),
  withoutMeaning('timeout', 'integer', RETRY),
  withoutMeaning('connect_retries', 'integer', RETRY),
  withoutMeaning('connect_retry_delay', 'text', RETRY),
  withoutMeaning('status_code_retries', 'integer', RETRY),
  withoutMeaning('status_code_retry_delay', 'text', RETRY),
  withoutMeaning('memcached_servers', 'list', CACHE, ['memcache_servers']),
  withoutMeaning('cache', 'text', CACHE),
  withoutMeaning('memcache_security_strategy', 'text', CACHE),
  withoutMeaning('memcache_secret_key', 'text', CACHE),
  withoutMeaning('memcache_use_advanced_pool', 'boolean', CACHE),
  withoutMeaning('memcache_pool_dead_retry', 'integer', CACHE),
  withoutMeaning('memcache_pool_maxsize', 'integer', CACHE),
  withoutMeaning('memcache_pool_socket_timeout', 'integer', CACHE),
  withoutMeaning('memcache_pool_unused_timeout', 'integer', CACHE),
  withoutMeaning('memcache_pool_conn_get_timeout', 'integer', CACHE),
  withoutMeaning('memcache_password', 'text', CACHE),
  withoutMeaning('memcache_username', 'text', CACHE),
  withoutMeaning('memcache_sasl_enabled', 'boolean', CACHE),
  withoutMeaning('memcache_tls_enabled', 'boolean', CACHE),
  withoutMeaning('memcache_tls_cafile', 'text', CACHE),
  withoutMeaning('memcache_tls_certfile', 'text', CACHE),
  withoutMeaning('memcache_tls_keyfile', 'text', CACHE),
  withoutMeaning('memcache_tls_allowed_ciphers', 'text', CACHE),
  withoutMeaning('region_name', 'text', ENDPOINT, ['auth_region']),
  withoutMeaning('interface', 'text', ENDPOINT),
  withoutMeaning('valid_interfaces', 'list', ENDPOINT),
  withoutMeaning(
    'service_type',
    'text',
    'Berth refuses tokens of application credentials that have access rules.',
  ),
  withoutMeaning('auth_version', 'text', 'Berth speaks version 3 of Keystone’s API.'),
  withoutMeaning('delay_auth_decision', 'boolean', 'Berth always decides itself who gets in.'),
  withoutMeaning('include_service_catalog', 'boolean', ENDPOINT),
  withoutMeaning('enforce_token_bind', 'text', 'Keystone has no bound tokens any more.'),
  key('service_token_roles', 'list', 'keystone_service_token_roles'),
  key('service_token_roles_required', 'boolean', 'keystone_service_token_roles_required'),
  withoutMeaning('certfile', 'text', 'Berth shows Keystone no certificate.'),
  withoutMeaning('keyfile', 'text', 'Berth shows Keystone no certificate.'),
  withoutMeaning('split_loggers', 'boolean', 'It is about the Python program.'),
  withoutMeaning('collect_timing', 'boolean', 'It is about the Python program.'),
]

/** The form of old services: `http://host:35357/v2.0`. */
const withoutVersion = (url: string): string => url.replace(/\/v2\.0\/?$/, '')
