import { ownValue } from '../kernel/records.ts'
import { type FileReading, readConfigFile, readConfigFileOfPlacement } from './file.ts'
import { type KeyName, variableOf } from './keys.ts'
import type { OsloRequest } from './oslo/read-files.ts'
import { CONFIG_FILE } from './oslo/search.ts'
import { type ConfigProblem, type Resolved, resolveConfig } from './resolve.ts'

interface Given {
  /** The values of the flags, as text. */
  readonly flags: Readonly<Partial<Record<KeyName, string>>>
  /** The value of `--config`. */
  readonly configFlag: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: boolean
  /** Searches the file as Placement's own programs do. */
  readonly placement?: OsloRequest
}

/** Reads the file and resolves all keys. An unreadable file does not hide other problems. */
export async function loadConfig(given: Given): Promise<Resolved> {
  const { flags, configFlag, env, terminal, placement } = given
  const reading =
    placement === undefined
      ? await readConfigFile(configFlag, env)
      : await readConfigFileOfPlacement(configFlag, env, placement)
  const resolved = resolveConfig({ flags, env, file: reading.ok ? reading.file : null, terminal })
  const problems = reading.ok ? storeProblems(reading, given) : [reading.problem]
  if (problems.length === 0) return resolved
  return { ok: false, problems: [...problems, ...(resolved.ok ? [] : resolved.problems)] }
}

/**
 * Placement does not start without a connection. A new store in the working directory would surprise its
 * operators.
 */
function storeProblems(
  { file }: FileReading & { readonly ok: true },
  { flags, env }: Given,
): ConfigProblem[] {
  const translation = file?.translation
  const isGiven = (['database', 'data_dir'] as const).some(
    name => flags[name] !== undefined || Boolean(ownValue(env, variableOf(name))),
  )
  if (translation === undefined || isGiven || translation.problems.length > 0) return []
  if (translation.content.has('database') || translation.sqliteFile !== null) return []
  return [
    {
      key: '[placement_database] connection',
      value: null,
      origin: { from: 'file', name: translation.files.at(-1) ?? CONFIG_FILE },
      wrong: translation.files.length === 0 ? 'is not set, and there is no file' : 'is not set',
      remedy: 'set it, or data_dir or database of Berth',
    },
  ]
}
