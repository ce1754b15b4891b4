import { readConfigFile } from './file.ts'
import type { KeyName } from './keys.ts'
import { type Resolved, resolveConfig } from './resolve.ts'

export interface Given {
  /** What each flag was given, as text. */
  readonly flags: Readonly<Partial<Record<KeyName, string>>>
  /** The value of `--config`. */
  readonly configFlag: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: boolean
}

/** Reads the file and resolves all keys. An unreadable file does not hide other problems. */
export async function loadConfig({ flags, configFlag, env, terminal }: Given): Promise<Resolved> {
  const reading = await readConfigFile(configFlag, env)
  const resolved = resolveConfig({ flags, env, file: reading.ok ? reading.file : null, terminal })
  if (reading.ok) return resolved
  return { ok: false, problems: [reading.problem, ...(resolved.ok ? [] : resolved.problems)] }
}
