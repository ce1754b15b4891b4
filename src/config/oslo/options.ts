import type { KeyName } from '../keys.ts'
import { healthcheckOptions } from './healthcheck-options.ts'
import { keystoneOptions } from './keystone-options.ts'
import { type OptionType, type OsloOption, withoutMeaning } from './option.ts'

export interface OptionGroup {
  readonly group: string
  readonly options: readonly OsloOption[]
  /** Why options that are not listed have no meaning here. */
  readonly others?: string
}

const PYTHON = 'It is about the Python program.'
const LOG_LINES = 'The lines of Berth’s log have their own format: see `log_format`.'
const LOG_PLACE =
  'The log goes to standard error, which systemd and container engines keep, or to `log_file`.'
const POOL = 'Berth keeps few connections and reopens a lost one: see `database_connections_max`.'
const MYSQL = 'It is about MySQL.'

const sameKey = (name: KeyName, type: OptionType, says = 'The key of the same name.'): OsloOption => ({
  name,
  type,
  says,
  becomes: [name],
})

const defaultOptions: readonly OsloOption[] = [
  {
    name: 'debug',
    type: 'boolean',
    becomes: ['log_level'],
    says: 'True is `debug`, false `info`.',
    apply: (value, draft) => draft.set('log_level', value === true ? 'debug' : 'info'),
  },
  {
    name: 'log_file',
    type: 'text',
    otherNames: ['logfile'],
    becomes: ['log_file'],
    says: 'The key of the same name; a relative path starts at `log_dir`.',
    apply: (value, draft) => {
      const directory = draft.other('log_dir') ?? draft.other('logdir')
      const isWhole = directory === null || String(value).startsWith('/')
      draft.set('log_file', isWhole ? value : `${directory}/${value}`)
    },
  },
  {
    name: 'log_dir',
    type: 'text',
    otherNames: ['logdir'],
    becomes: ['log_file'],
    says: 'Without a `log_file`, the log goes to `placement-api.log` in it.',
    apply: (value, draft) => draft.set('log_file', `${value}/placement-api.log`),
  },
  {
    name: 'use_json',
    type: 'boolean',
    becomes: ['log_format'],
    says: 'True is `json`, false `text`.',
    apply: (value, draft) => draft.set('log_format', value === true ? 'json' : 'text'),
  },
  {
    name: 'state_path',
    type: 'text',
    becomes: ['data_dir'],
    says: 'The directory of the admin token, unless `connection` names a SQLite file.',
  },
  withoutMeaning('use_stderr', 'boolean', LOG_PLACE),
  withoutMeaning('use_syslog', 'boolean', LOG_PLACE),
  withoutMeaning('use_journal', 'boolean', LOG_PLACE),
  withoutMeaning('use_eventlog', 'boolean', LOG_PLACE),
  withoutMeaning('syslog_log_facility', 'text', LOG_PLACE),
  withoutMeaning('watch_log_file', 'boolean', 'Berth always notices that its log file was moved.'),
  withoutMeaning('log_rotation_type', 'text', 'Let `logrotate` rotate it.'),
  withoutMeaning('log_rotate_interval', 'integer', 'Let `logrotate` rotate it.'),
  withoutMeaning('log_rotate_interval_type', 'text', 'Let `logrotate` rotate it.'),
  withoutMeaning('max_logfile_count', 'integer', 'Let `logrotate` rotate it.'),
  withoutMeaning('max_logfile_size_mb', 'integer', 'Let `logrotate` rotate it.'),
  withoutMeaning('log_config_append', 'text', `${PYTHON} ${LOG_LINES}`, ['log-config', 'log_config']),
  withoutMeaning('log_date_format', 'text', LOG_LINES),
  withoutMeaning('log_color', 'boolean', LOG_LINES),
  withoutMeaning('logging_context_format_string', 'text', LOG_LINES),
  withoutMeaning('logging_default_format_string', 'text', LOG_LINES),
  withoutMeaning('logging_debug_format_suffix', 'text', LOG_LINES),
  withoutMeaning('logging_exception_prefix', 'text', LOG_LINES),
  withoutMeaning('logging_user_identity_format', 'text', LOG_LINES),
  withoutMeaning('instance_format', 'text', LOG_LINES),
  withoutMeaning('instance_uuid_format', 'text', LOG_LINES),
  withoutMeaning('default_log_levels', 'list', 'There is one level for all: see `log_level`.'),
  withoutMeaning('publish_errors', 'boolean', PYTHON),
  withoutMeaning('rate_limit_interval', 'integer', LOG_LINES),
  withoutMeaning('rate_limit_burst', 'integer', LOG_LINES),
  withoutMeaning('rate_limit_except_level', 'text', LOG_LINES),
  withoutMeaning('fatal_deprecations', 'boolean', PYTHON),
  withoutMeaning('verbose', 'boolean', LOG_LINES),
  withoutMeaning('log_options', 'boolean', '`berth config --from` prints what each option became.'),
  withoutMeaning('tempdir', 'text', PYTHON),
  withoutMeaning('pybasedir', 'text', PYTHON),
]

const databaseOptions: readonly OsloOption[] = [
  {
    name: 'connection',
    type: 'text',
    becomes: ['database', 'data_dir'],
    says:
      '`postgresql://…` or `mysql://…`, with or without a driver of Python, is `database`. `sqlite:////PATH` is the directory of the path as ' +
      '`data_dir`; Berth’s own file in it is `berth.sqlite`, and the file of Placement is neither read nor changed.',
    // translate.ts applies it, because it reads the named file.
    apply: () => undefined,
  },
  {
    name: 'connection_parameters',
    type: 'text',
    becomes: ['database'],
    says: 'Added to the address of a database server.',
    apply: () => undefined,
  },
  withoutMeaning(
    'sync_on_startup',
    'boolean',
    'Berth brings its tables to the newest version at every start.',
  ),
  withoutMeaning('slave_connection', 'text', 'Berth answers reads from memory.'),
  withoutMeaning('sqlite_synchronous', 'boolean', 'What Berth acknowledges is always on disk.'),
  withoutMeaning('mysql_sql_mode', 'text', MYSQL),
  withoutMeaning('mysql_wsrep_sync_wait', 'integer', MYSQL),
  withoutMeaning('mysql_enable_ndb', 'boolean', MYSQL),
  withoutMeaning('connection_recycle_time', 'integer', POOL, ['idle_timeout']),
  withoutMeaning('max_pool_size', 'integer', POOL),
  withoutMeaning('max_overflow', 'integer', POOL),
  withoutMeaning('pool_timeout', 'integer', POOL),
  withoutMeaning('max_retries', 'integer', POOL),
  withoutMeaning('retry_interval', 'integer', POOL),
  withoutMeaning('db_max_retries', 'integer', POOL),
  withoutMeaning('db_retry_interval', 'integer', POOL),
  withoutMeaning('db_inc_retry_interval', 'boolean', POOL),
  withoutMeaning('db_max_retry_interval', 'integer', POOL),
  withoutMeaning('connection_debug', 'integer', PYTHON),
  withoutMeaning('connection_trace', 'boolean', PYTHON),
]

const placementOptions: readonly OsloOption[] = [
  sameKey('randomize_allocation_candidates', 'boolean'),
  sameKey('incomplete_consumer_project_id', 'text'),
  sameKey('incomplete_consumer_user_id', 'text'),
  sameKey(
    'allocation_conflict_retry_count',
    'integer',
    'The key of the same name, which has no effect: there is nothing to retry.',
  ),
  sameKey('max_allocation_candidates', 'integer'),
  sameKey('allocation_candidates_generation_strategy', 'text'),
  withoutMeaning('policy_file', 'text', 'Placement ignores it, too: use that of `[oslo_policy]`.'),
]

const NO_DEFAULTS = 'The rules of the policy are read from one file.'
const HEADERS = 'Berth sends the headers that its own API needs.'

const policyOptions: readonly OsloOption[] = [
  {
    name: 'policy_file',
    type: 'text',
    otherNames: [['DEFAULT', 'policy_file']],
    becomes: ['policy_file'],
    says:
      'The key of the same name. A relative path is looked for in the directories of the configuration. Without it, `policy.yaml` ' +
      'or `policy.json` there, if there is one.',
    apply: (value, draft) => {
      const path = draft.findFile(String(value))
      if (path === null) draft.refuse('does not exist', 'correct the path, or remove the option')
      else draft.set('policy_file', path)
    },
  },
  {
    name: 'enforce_new_defaults',
    type: 'boolean',
    becomes: ['rbac'],
    says: 'True, the default, is `secure`; false `legacy`.',
    apply: (value, draft) => draft.set('rbac', value === true ? 'secure' : 'legacy'),
  },
  withoutMeaning(
    'enforce_scope',
    'boolean',
    'Tokens of the system scope are always refused, as by Placement’s own default.',
  ),
  withoutMeaning('policy_default_rule', 'text', NO_DEFAULTS, [['DEFAULT', 'policy_default_rule']]),
  withoutMeaning('policy_dirs', 'list', NO_DEFAULTS, [['DEFAULT', 'policy_dirs']]),
  withoutMeaning('remote_content_type', 'text', NO_DEFAULTS),
  withoutMeaning('remote_ssl_verify_server_crt', 'boolean', NO_DEFAULTS),
  withoutMeaning('remote_ssl_ca_crt_file', 'text', NO_DEFAULTS),
  withoutMeaning('remote_ssl_client_crt_file', 'text', NO_DEFAULTS),
  withoutMeaning('remote_ssl_client_key_file', 'text', NO_DEFAULTS),
  withoutMeaning('remote_timeout', 'integer', NO_DEFAULTS),
]

/** Every group that Placement reads, in the order of the reference. */
export const optionGroups: readonly OptionGroup[] = [
  { group: 'DEFAULT', options: defaultOptions },
  {
    group: 'api',
    options: [
      {
        name: 'auth_strategy',
        type: 'text',
        otherNames: [['DEFAULT', 'auth_strategy']],
        becomes: ['auth'],
        says: '`keystone`, the default, or `noauth2`.',
        apply: (value, draft) =>
          value === 'keystone' || value === 'noauth2'
            ? draft.set('auth', value)
            : draft.refuse('is not one of keystone, noauth2', 'allowed: keystone, noauth2'),
      },
    ],
  },
  { group: 'placement_database', options: databaseOptions },
  { group: 'keystone_authtoken', options: keystoneOptions },
  { group: 'placement', options: placementOptions },
  {
    group: 'workarounds',
    options: [
      withoutMeaning(
        'optimize_for_wide_provider_trees',
        'boolean',
        'Berth’s search does not slow down on wide trees in the first place.',
      ),
    ],
  },
  { group: 'oslo_policy', options: policyOptions },
  {
    group: 'oslo_middleware',
    options: [
      {
        name: 'enable_proxy_headers_parsing',
        type: 'boolean',
        becomes: ['trust_proxy'],
        says: 'The same. It does not set `behind_proxy`, which says that the port is reachable only through the proxy.',
      },
      {
        name: 'max_request_body_size',
        type: 'integer',
        otherNames: [
          ['DEFAULT', 'osapi_max_request_body_size'],
          ['DEFAULT', 'max_request_body_size'],
        ],
        becomes: ['max_body_bytes'],
        says: 'The same.',
      },
      withoutMeaning(
        'secure_proxy_ssl_header',
        'text',
        'The header is X-Forwarded-Proto: see `trust_proxy`.',
      ),
    ],
  },
  {
    group: 'cors',
    options: [
      { name: 'allowed_origin', type: 'list', becomes: ['cors_allowed_origin'], says: 'The same.' },
      withoutMeaning('allow_credentials', 'boolean', 'Tokens go in a header, not in cookies.'),
      withoutMeaning('expose_headers', 'list', HEADERS),
      withoutMeaning('allow_headers', 'list', HEADERS),
      withoutMeaning('allow_methods', 'list', HEADERS),
      withoutMeaning('max_age', 'integer', HEADERS),
    ],
  },
  { group: 'healthcheck', options: healthcheckOptions },
  { group: 'profiler', options: [], others: 'OSProfiler is a library of Python.' },
  { group: 'profiler_jaeger', options: [], others: 'OSProfiler is a library of Python.' },
  { group: 'profiler_otlp', options: [], others: 'OSProfiler is a library of Python.' },
  { group: 'oslo_concurrency', options: [], others: 'Placement does not read it, either.' },
  { group: 'oslo_reports', options: [], others: PYTHON },
  {
    group: 'audit_middleware_notifications',
    options: [],
    others: 'Berth keeps its own audit log: see `audit`.',
  },
]

/** All names of an option, each with its group. */
export function namesOf(group: string, { name, otherNames = [] }: OsloOption): (readonly [string, string])[] {
  return [
    [group, name],
    ...otherNames.map(other => (typeof other === 'string' ? ([group, other] as const) : other)),
  ]
}
