/** Possible placement.conf files: odd ones written by hand, and random ones from odd parts. */
import type { OsloOption } from '../../src/config/oslo/option.ts'
import { optionGroups } from '../../src/config/oslo/options.ts'
import type { Random } from '../../src/kernel/random.ts'

export interface Case {
  /** Later files win. */
  readonly files: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const file = (...lines: readonly string[]): Case => ({ files: [lines.join('\n')], env: {} })
const several = (...files: readonly string[]): Case => ({ files, env: {} })
const withEnv = (env: Record<string, string>, ...lines: readonly string[]): Case => ({
  files: [lines.join('\n')],
  env,
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: oslo.config writes references so
export const handmadeCases: readonly Case[] = [
  file(''),
  file('# only a comment', '; and another'),
  file('debug = true'),
  file('[DEFAULT', 'debug = true'),
  file('[]', 'debug = true'),
  file('[DEFAULT] # a comment', 'debug = true'),
  file('[DEFAULT]', 'no assignment'),
  file('[DEFAULT]', '= nothing'),
  file('[DEFAULT]', ' debug = true'),
  file('[DEFAULT]', '', '\tdebug = true'),
  file('[DEFAULT]', 'log_file = a', '# a comment between', '  b'),
  file('[DEFAULT]', 'log_file = a', '', '  b'),
  file('[DEFAULT]', 'log_file = a', '  b', '\tc', '  # no comment'),
  file('[DEFAULT]', 'log_file = "a', '  b"'),
  file('[DEFAULT]', 'log_file = "', "log_dir = ''", 'state_path = "a\''),
  file('[DEFAULT]', 'log_file = "a b" # c', 'log_dir = \'a "b" c\''),
  file('[DEFAULT]', 'log_file: a=b', 'log_dir = a:b', 'state_path:a'),
  file('[DEFAULT]', 'log-file = a', 'log_dir=b', 'log-dir=c'),
  file('[DEFAULT]', 'logfile = a', 'logdir = b'),
  file('[DEFAULT]', 'Debug = true', 'DEBUG = true'),
  file('[default]', 'debug = true'),
  file('[Default]', 'debug = true'),
  file('[API]', 'auth_strategy = noauth2'),
  file('[ api ]', 'auth_strategy = noauth2'),
  file('[placement-database]', 'connection = x'),
  file('[Placement_Database]', 'connection = x', '[placement_database]', 'connection = y'),
  file(
    '[placement_database]',
    'connection = y',
    '[DEFAULT]',
    'debug=1',
    '[PLACEMENT_DATABASE]',
    'connection = z',
  ),
  file('[placement]', 'randomize_allocation_candidates = yes', 'randomize_allocation_candidates = no'),
  file('[DEFAULT]\r', 'debug = true\r', 'log_file = a\r', '  b\r'),
  file('[DEFAULT]\rdebug = true\rlog_file = a'),
  file('[DEFAULT]', 'log_file =\u00a0a\u00a0', 'log_dir = b\u0085', 'state_path = c\u001f'),
  file('[DEFAULT]', 'log_file = a\u2028b', 'log_dir = a\u000bb', 'state_path = a\ufeff'),
  file('[DEFAULT]', 'log_file = größe/☃/😀', 'logging_exception_prefix = %(color)s%%'),
  file('[DEFAULT]', 'auth_strategy = noauth2'),
  file('[DEFAULT]', 'auth_strategy = noauth2', '[api]', 'auth_strategy = keystone'),
  file(
    '[DEFAULT]',
    'policy_file = a',
    'osapi_max_request_body_size = 5',
    'policy_dirs = x',
    'policy_dirs = y',
  ),
  file('[DEFAULT]', 'max_request_body_size = 5'),
  file('[oslo_middleware]', 'osapi_max_request_body_size = 5'),
  file('[keystone_authtoken]', 'user-name = a', 'tenant-name = b'),
  file('[keystone_authtoken]', 'user_name = a', 'tenant_name = b', 'auth_plugin = password'),
  file('[keystone_authtoken]', 'user_name = a', 'username = c', 'user-name = b'),
  file('[keystone_authtoken]', 'auth_uri = a', 'memcache_servers = a:1,b:2'),
  file('[keystone_authtoken]', 'auth-url = a', 'www-authenticate-uri = b'),
  file('[keystone_authtoken]', 'password = pa$word'),
  file('[keystone_authtoken]', 'password = pa$$word', 'username = \\$a', 'project_name = $'),
  file('[keystone_authtoken]', 'password = "pa ss"', "username = 'it''s'", 'project_name = "'),
  file('[keystone_authtoken]', 'service_token_roles =', 'service_token_roles_required = no'),
  file('[keystone_authtoken]', 'service_token_roles = "a, b"'),
  file('[keystone_authtoken]', 'service_token_roles = "a", \'b\', c d ,'),
  file('[cors]', 'allowed_origin = a,,b,', 'allow_methods = ,', 'allow_headers = , ,x'),
  file('[cors]', 'allowed_origin = a,', '  b,', '  c', 'expose_headers =', '  x', '  y'),
  file('[cors]', 'max_age = 1_000', 'allow_credentials = '),
  file('[DEFAULT]', 'state_path = /a', 'log_dir = $state_path/b', 'log_file = ${log_dir}/c'),
  file(
    '[DEFAULT]',
    'state_path = /a',
    '[placement_database]',
    'connection = $state_path/${DEFAULT.state_path}',
  ),
  file(
    '[api]',
    'auth_strategy = keystone',
    '[DEFAULT]',
    'log_file = ${api.auth_strategy} $api.auth_strategy',
  ),
  file('[DEFAULT]', 'log_file = $log_dir', 'log_dir = $log_file'),
  file('[DEFAULT]', 'log_file = $no_such_option'),
  file('[DEFAULT]', 'log_file = $api'),
  file('[DEFAULT]', 'debug = yes', 'log_file = a$debug', 'use_json = $debug'),
  file('[DEFAULT]', 'log_rotate_interval = 007', 'log_file = a$log_rotate_interval'),
  file('[DEFAULT]', 'logfile = x', 'log_dir = $log_file'),
  file('[DEFAULT]', 'auth_strategy = noauth2', 'log_file = ${api.auth_strategy}'),
  file('[DEFAULT]', 'log_file = $log_dir.x', 'log_dir = a'),
  file('[DEFAULT]', 'log_file = ${log_dir', 'log_dir = a', 'state_path = $}'),
  several('[DEFAULT]\ndebug = true\nlog_file = a', '[DEFAULT]\nlog_file = b'),
  several('[keystone_authtoken]\nusername = new', '[keystone_authtoken]\nuser_name = old'),
  several('[api]\nauth_strategy = keystone', '[DEFAULT]\nauth_strategy = noauth2'),
  withEnv({ OS_DEFAULT__DEBUG: 'true' }, '[DEFAULT]', 'debug = false'),
  withEnv({ OS_API__AUTH_STRATEGY: 'noauth2' }),
  withEnv({ OS_DEFAULT__AUTH_STRATEGY: 'noauth2' }),
  withEnv({ OS_KEYSTONE_AUTHTOKEN__USER_NAME: 'a', OS_KEYSTONE_AUTHTOKEN__USERNAME: 'b' }),
  withEnv({ OS_KEYSTONE_AUTHTOKEN__USER_NAME: 'a' }),
  withEnv({ OS_DEFAULT__STATE_PATH: '/e' }, '[DEFAULT]', 'log_dir = $state_path/b'),
  withEnv({ OS_DEFAULT__LOG_DIR: '$state_path' }, '[DEFAULT]', 'state_path = /s'),
  withEnv({ OS_CORS__ALLOWED_ORIGIN: ' a , b ' }),
  withEnv({ OS_CORS__MAX_AGE: ' 5 ', OS_DEFAULT__DEBUG: ' true ' }),
  withEnv({ OS_DEFAULT__LOG_FILE: '"quoted"' }),
]

const TEXTS = [
  '',
  'a',
  ' b ',
  '"q"',
  "'q'",
  '"',
  '"a"b"',
  'x y',
  'a=b',
  '#c',
  ';c',
  '$$',
  '\\$',
  '$5',
  'ä☃',
  '%s',
  '/a/b',
  '$state_path',
  '${placement.incomplete_consumer_user_id}/x',
  'a\n  b',
  'a\n\tb c',
  '[x]',
  '{"a": 1}',
]
const BOOLEANS = [
  ...[
    'true',
    'TRUE',
    'True',
    'tRuE',
    'false',
    'False',
    '1',
    '0',
    'on',
    'ON',
    'off',
    'Off',
    'yes',
    'Yes',
    'no',
    'NO',
  ],
  ...['', 't', 'f', 'y', 'n', 'enabled', '2', '01', '"true"', "'off'", 'true # c', '$state_path', '10'],
]
const INTEGERS = [
  ...[
    '0',
    '1',
    '-1',
    '+5',
    '007',
    '1_000',
    '_1',
    '1_',
    '1__0',
    ' 12 ',
    '"12"',
    '1.0',
    '1e3',
    '0x10',
    '',
    'ten',
  ],
  ...['- 5', '--5', '99999', '999999999999999', '-0', '1 000', '12s'],
]
const LISTS = [
  '',
  ',',
  ',,',
  'a',
  'a,b',
  'a, b ,c',
  'a,',
  ',a',
  'a,,b',
  '"a,b"',
  '"a",\'b\'',
  "'a','b'",
  'a\n  b',
  'a,\n  b,\n  c',
  '$state_path,x',
  'a b,c d',
  '[a,b]',
  '*',
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
const POOLS = { text: TEXTS, boolean: BOOLEANS, integer: INTEGERS, list: LISTS }
const SIGNS = [' = ', '=', ' : ', ':', '= ', '\t=\t']
/** Options of their own to oslo.config. */
const OURS = new Set(['admin_user', 'admin_password', 'admin_tenant_name', 'auth_region', 'idle_timeout'])
const LINES_MAX = 12

const everyOption = optionGroups.flatMap(({ group, options }) => options.map(option => ({ group, option })))

export function randomCase(random: Random): Case {
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T
  const nameOf = ({ name, otherNames = [] }: OsloOption): string => {
    const names = [name, ...otherNames.filter(one => typeof one === 'string').filter(one => !OURS.has(one))]
    const picked = random.below(8) === 0 ? pick(names) : name
    return random.below(40) === 0 ? picked.replaceAll('_', '-') : picked
  }
  const spelled = (group: string): string =>
    pick([group, group, group, group, group, group.toUpperCase(), group.replaceAll('_', '-')])
  const content = (): string => {
    const lines = ['[DEFAULT]', 'state_path = /var/lib', '[placement]', 'incomplete_consumer_user_id = one']
    for (let count = 1 + random.below(LINES_MAX); count > 0; count--) {
      const { group, option } = pick(everyOption)
      lines.push(`[${spelled(group)}]`)
      if (random.below(6) === 0) lines.push(pick(['# comment', '; comment', '', '   ', '#']))
      lines.push(`${nameOf(option)}${pick(SIGNS)}${pick(POOLS[option.type])}`)
      if (random.below(10) === 0) lines.push(pick(['# comment', '', '\t']))
    }
    return lines.join(random.below(8) === 0 ? '\r\n' : '\n')
  }
  return { files: random.below(5) === 0 ? [content(), content()] : [content()], env: {} }
}
