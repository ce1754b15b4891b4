import type { Key } from './keys.ts'
import { flag, httpUrl, integer, type Kind, list, optional, secret, words } from './kinds.ts'

const key = <T>(kind: Kind<T>, value: T, description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Keystone',
  description,
})

/** How the server reaches Keystone and validates tokens with it. */
export const keystoneKeys = {
  keystone_url: key(
    optional(httpUrl()),
    null,
    'The URL of Keystone, such as `https://keystone.example.org:5000/v3`, with or without the version. Required if `auth` is `keystone`.',
  ),
  keystone_username: key(
    optional(words('a name', 'name')),
    null,
    'The user of this server in Keystone. It must be allowed to validate tokens, as the roles service and admin are.',
  ),
  keystone_password: key(
    optional(secret()),
    null,
    'The password of that user. Give it in the environment variable or in the file: everybody on the machine can read a flag.',
  ),
  keystone_project: key(words('a name', 'name'), 'service', 'The project that this server signs in to.'),
  keystone_user_domain: key(words('a name', 'name'), 'Default', 'The name of the domain of the user.'),
  keystone_user_domain_id: key(
    optional(words('an id', 'id')),
    null,
    'The id of the domain of the user, such as `default`. It wins over the name.',
  ),
  keystone_project_domain: key(words('a name', 'name'), 'Default', 'The name of the domain of the project.'),
  keystone_project_domain_id: key(
    optional(words('an id', 'id')),
    null,
    'The id of the domain of the project, such as `default`. It wins over the name.',
  ),
  keystone_public_url: key(
    optional(httpUrl()),
    null,
    'Where callers sign in, in the header WWW-Authenticate of an answer 401. Absent, it is `keystone_url`, which callers outside may not reach.',
  ),
  keystone_ca_file: key(
    optional(words('a path', 'file')),
    null,
    'The file with the certificates of the authorities that the certificate of Keystone is checked against, in PEM. Absent, those that Node knows, and those in `NODE_EXTRA_CA_CERTS`. It is read at the start.',
  ),
  keystone_insecure: key(
    flag(),
    false,
    'Do not check the certificate of Keystone. An attacker in between can then read the password of this server and make every token valid: for tests only.',
  ),
  keystone_cache_s: key(
    integer(0, 3_600),
    10,
    'How many seconds the server caches Keystone’s answer about a token. It refuses a revoked token after this time at the latest. 0 asks Keystone at every request.',
  ),
  keystone_timeout_ms: key(
    integer(100, 86_400_000),
    5_000,
    'How long Keystone may take to answer. After that the server answers the request with 503.',
  ),
  keystone_service_token_roles: key(
    list('names of roles', 'role,...', () => null),
    ['service'],
    'The roles of services: a token with any of them in the header `X-Service-Token` makes an expired user token in the same request valid, as long as Keystone accepts it.',
  ),
  keystone_service_token_roles_required: key(
    flag(),
    true,
    'Refuse a request whose `X-Service-Token` has none of these roles. `false` ignores such a token.',
  ),
}
