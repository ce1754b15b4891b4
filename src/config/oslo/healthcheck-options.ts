import { type ConfigDraft, type OptionValue, type OsloOption, withoutMeaning } from './option.ts'

const DISABLE_ONE = 'disable_by_file'
const DISABLE_PORTS = 'disable_by_files_ports'
const ENABLE = 'enable_by_files'

const listOf = (text: string | null): string[] => (text ?? '').split(',').flatMap(part => part.trim() || [])

const OPEN = '`/healthcheck` needs no token; see `healthcheck_detailed` for what it shows.'

/** The options of oslo.middleware's healthcheck, which deployments set in this file or in paste. */
export const healthcheckOptions: readonly OsloOption[] = [
  {
    name: 'backends',
    type: 'list',
    becomes: ['healthcheck_disable_files', 'healthcheck_enable_files'],
    says:
      `The files of \`${DISABLE_ONE}\`, \`${DISABLE_PORTS}\` and \`${ENABLE}\`. Other backends are modules of Python and have no ` +
      'effect.',
    apply: applyBackends,
  },
  requireBackend('disable_by_file_path', 'text', 'healthcheck_disable_files', DISABLE_ONE, 'The file.'),
  requireBackend(
    'disable_by_file_paths',
    'list',
    'healthcheck_disable_files',
    DISABLE_PORTS,
    'The files; the ports in front of them are not compared, because Berth listens on one.',
  ),
  requireBackend('enable_by_file_paths', 'list', 'healthcheck_enable_files', ENABLE, 'The files.'),
  { name: 'detailed', type: 'boolean', becomes: ['healthcheck_detailed'], says: 'The same.' },
  withoutMeaning('path', 'text', 'The path is `/healthcheck`.'),
  withoutMeaning('allowed_source_ranges', 'list', OPEN),
  withoutMeaning('ignore_proxied_requests', 'boolean', OPEN),
]

function applyBackends(value: OptionValue, draft: ConfigDraft): void {
  const backends = value as readonly string[]
  const disabling = [
    ...(backends.includes(DISABLE_ONE) ? listOf(draft.other('disable_by_file_path')) : []),
    ...(backends.includes(DISABLE_PORTS)
      ? listOf(draft.other('disable_by_file_paths')).map(withoutPort)
      : []),
  ]
  const enabling = backends.includes(ENABLE) ? listOf(draft.other('enable_by_file_paths')) : []
  if (disabling.length > 0 && enabling.length > 0) {
    // As oslo.middleware does.
    draft.refuse(`names ${DISABLE_ONE} and ${ENABLE}`, 'name one of them')
    return
  }
  if (disabling.length > 0) draft.set('healthcheck_disable_files', disabling)
  if (enabling.length > 0) draft.set('healthcheck_enable_files', enabling)
  const others = backends.filter(name => ![DISABLE_ONE, DISABLE_PORTS, ENABLE].includes(name))
  if (others.length > 0) draft.ignore(`Berth has no backend ${others.join(', ')}.`)
}

const withoutPort = (entry: string): string => entry.replace(/^\d+:/, '')

/** An option that has an effect only if `backends` names its backend. */
function requireBackend(
  name: string,
  type: 'text' | 'list',
  key: 'healthcheck_disable_files' | 'healthcheck_enable_files',
  backend: string,
  says: string,
): OsloOption {
  return {
    name,
    type,
    becomes: [key],
    says: `${says} Only if \`backends\` names \`${backend}\`.`,
    apply: (_value, draft) => {
      if (!listOf(draft.other('backends')).includes(backend))
        draft.ignore(`backends does not name ${backend}.`)
    },
  }
}
