import type { Command } from 'commander'
import { HttpClient } from '../../../client/http.ts'
import { IdentityApi } from '../../../client/identity.ts'
import type { Config, KeyName } from '../../../config/keys.ts'
import { adminPasswordPath, readAdminPassword } from '../../../identity/token-file.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { repeatable } from '../../args/repeatable.ts'
import { clientFailureOf, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { serverUrl } from '../../connection/server-url.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import type { Describe } from '../describe-command.ts'
import { describeCommand } from '../describe-command.ts'

const KEYS: readonly KeyName[] = [
  'host',
  'port',
  'data_dir',
  'public_url',
  'tls_cert',
  'tls_key',
  'behind_proxy',
]
const ADMIN = 'admin'

interface Options {
  readonly cloud: string
  readonly user?: string
  readonly project?: string
  readonly credential?: string
  readonly role?: readonly string[]
}

type Pairs = readonly (readonly [name: string, value: string])[]

export const describe: Describe = (command: Command, around, end) => {
  describeCommand(command, {
    description:
      'Prints a clouds.yaml for the openstack client and other OpenStack clients, for the server on this machine. It contains a password or a secret: make it readable only for yourself.',
    notes: NOTES,
    examples: [
      'berth clouds-yaml > clouds.yaml && openstack --os-cloud berth resource provider list',
      'berth clouds-yaml --user ray --project lab',
      'berth clouds-yaml --credential ci --role reader',
    ],
    exits: [
      exitCodes.ok,
      exitCodes.usage,
      exitCodes.missing,
      exitCodes.unavailable,
      exitCodes.conflict,
      exitCodes.forbidden,
      exitCodes.configuration,
    ],
  })
  command
    .option('--cloud <name>', 'The name of the cloud in the file.', 'berth')
    .option(
      '--user <name>',
      'For this user, without a password: clients ask for it. (default: admin, with it)',
    )
    .option('--project <name>', 'The project to work in. (default: admin)')
    .option(
      '--credential <name>',
      'Create an application credential of the admin and print it instead of the password.',
    )
    .option('--role <role>', 'A role of that credential; repeat it for more. (default: all)', repeatable)
  addConfigFlags(command, KEYS)
  command.action(async () => {
    const loaded = await configOf(command, KEYS, around)
    if ('exitCode' in loaded) return end(loaded.exitCode)
    try {
      around.stdout.write(await cloudsYaml(loaded.values, command.opts<Options>()))
      end(exitCodes.ok)
    } catch (error) {
      end(reportFailure(error, around))
    }
  })
}

const NOTES = `The admin's password is read from the data directory, where the first start left it; who may not read that, or has
changed the password, names another user. With auth = keystone, make the file with the tools of that Keystone.`

function reportFailure(error: unknown, around: ProcessEnvironment): number {
  const failure = clientFailureOf(error, null)
  if (failure === null) throw error
  around.stderr.write(`berth: ${failure.line}\n`)
  return failure.exitCode
}

async function cloudsYaml(config: Config, options: Options): Promise<string> {
  if (config.auth !== 'token')
    throw new Stopped(`auth is ${config.auth}, so this server has no users`, exitCodes.configuration)
  const url = config.public_url ?? serverUrl(config.host, config.port, config.tls_cert !== null)
  if (options.credential !== undefined)
    return document(options.cloud, url, 'v3applicationcredential', await credential(config, options, url))
  const { user = ADMIN, project = ADMIN } = options
  const password: Pairs = user === ADMIN ? [['password', await adminPassword(config)]] : []
  return document(options.cloud, url, 'password', [
    ...[['username', user] as const, ...password],
    ['project_name', project],
    ['user_domain_id', 'default'],
    ['project_domain_id', 'default'],
  ])
}

async function adminPassword({ data_dir }: Config): Promise<string> {
  const path = adminPasswordPath(data_dir)
  const remedy = 'start the server once, run this as its user, or name another --user'
  const password = await readAdminPassword(data_dir).catch(() => null)
  if (password === null) throw new Stopped(`${path} cannot be read: ${remedy}`, exitCodes.missing)
  return password
}

async function credential(config: Config, options: Options, url: string): Promise<Pairs> {
  const project = options.project ?? ADMIN
  const password = await adminPassword(config)
  const { token, userId } = await new IdentityApi(new HttpClient({ url, token: null })).signIn(
    ADMIN,
    password,
    project,
  )
  const made = await new IdentityApi(new HttpClient({ url, token })).createCredential(userId, {
    name: options.credential,
    ...(options.role === undefined ? {} : { roles: options.role.map(name => ({ name })) }),
  })
  return [
    ['application_credential_id', made.id],
    ['application_credential_secret', made.secret],
  ]
}

function document(cloud: string, url: string, authType: string, auth: Pairs): string {
  const quote = (text: string) => JSON.stringify(text)
  const lines = [['auth_url', `${url}/identity`] as const, ...auth]
  return [
    'clouds:',
    `  ${quote(cloud)}:`,
    `    auth_type: ${authType}`,
    '    auth:',
    ...lines.map(([name, value]) => `      ${name}: ${quote(value)}`),
    '    region_name: RegionOne',
    '    identity_api_version: 3',
    '    placement_api_version: "1.39"',
    '',
  ].join('\n')
}
