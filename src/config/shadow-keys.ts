import type { Key } from './keys.ts'
import { httpUrl, integer, type Kind, optional, secret, words } from './kinds.ts'

const key = <T>(kind: Kind<T>, value: T, description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Placement',
  description,
})

/** The Placement that Berth will replace. */
export const shadowKeys = {
  shadow_of: key(
    optional(httpUrl()),
    null,
    'The address of the Placement that this server is to replace, such as `http://controller:8778`. Requests to the Placement API go to it, and its answers to the client; Berth follows and compares, until `berth shadow set` says otherwise. See [replace Placement](../how-to/replace-placement.md).',
  ),
  shadow_token: key(
    optional(secret()),
    null,
    'The token for `shadow_of`, for comparing the ledgers and for writes that Placement gets later. Absent, it is a token of `keystone_username` if `auth` is `keystone`, and `admin` if it is `noauth2`. Its user needs the role admin, and the role service for reshapes.',
  ),
  shadow_timeout_ms: key(
    integer(100, 3_600_000),
    60_000,
    'How long the Placement of `shadow_of` may take to answer. After that the client gets 504, and Berth finds out what was done. A connection takes ten seconds at most: then nothing was sent, and the client gets 503.',
  ),
  shadow_ca_file: key(
    optional(words('a path', 'file')),
    null,
    'The file with the certificates of the authorities that the certificate of `shadow_of` is checked against, in PEM. Absent, those that Node knows, and those in `NODE_EXTRA_CA_CERTS`. It is read at the start.',
  ),
  shadow_sweep_per_second: key(
    integer(1, 10_000),
    10,
    'How many things a second the sweep compares with the Placement of `shadow_of`: a provider takes five requests, a consumer two.',
  ),
}
