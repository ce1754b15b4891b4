import { parseDatabaseUrl } from '../database-url.ts'

/** Parameters of a URL, by libpq's names; hosts and ports are comma-separated lists, as in libpq. */
export type Parameters = Readonly<Partial<Record<ParameterName, string>>>

const parameterNames = [
  'host',
  'port',
  'user',
  'password',
  'passfile',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'target_session_attrs',
  'application_name',
  'options',
  'connect_timeout',
] as const
export type ParameterName = (typeof parameterNames)[number]

/** Parses a URL as libpq does. Rejects it in one line that never contains the password. */
export function parseUrl(url: string): Parameters {
  return parseDatabaseUrl(url, {
    scheme: /^postgres(?:ql)?:\/\//,
    shown: 'postgres://',
    parameterNames,
    // JDBC's notation, which libpq understands too.
    translate: (name, value) => (name === 'ssl' && value === 'true' ? { sslmode: 'require' } : null),
  })
}
