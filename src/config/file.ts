import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  DIRECTORY_VARIABLE,
  isIni,
  type OsloReading,
  type OsloRequest,
  readPlacementConfig,
  translateFile,
} from './oslo/read-files.ts'
import { CONFIG_FILE } from './oslo/search.ts'
import type { ConfigFile, ConfigProblem, Origin } from './resolve.ts'

export const DEFAULT_PATH = 'berth.json'
export const FILE_FLAG = '--config'
export const FILE_VARIABLE = 'BERTH_CONFIG'

export type FileReading =
  | { readonly ok: true; readonly file: ConfigFile | null }
  | { readonly ok: false; readonly problem: ConfigProblem }

type Env = Readonly<Record<string, string | undefined>>

/** The file named by the flag, otherwise by the environment, otherwise `berth.json` if it exists. */
export async function readConfigFile(flag: string | undefined, env: Env): Promise<FileReading> {
  const named = flag ?? (env[FILE_VARIABLE] || undefined)
  const path = named ?? DEFAULT_PATH
  const origin: Origin =
    flag !== undefined
      ? { from: 'flag', name: FILE_FLAG }
      : named !== undefined
        ? { from: 'environment', name: FILE_VARIABLE }
        : { from: 'default' }
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (code === 'ENOENT' && named === undefined) return { ok: true, file: null }
    const wrong = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    const remedy = `name a file that can be read with ${FILE_FLAG} or ${FILE_VARIABLE}`
    return { ok: false, problem: { key: 'config', value: path, origin, wrong, remedy } }
  }
  if (isIni(path, text)) return readingOf(path, translateFile(path, text, env))
  try {
    return { ok: true, file: { path, content: JSON.parse(text.replace(/^\uFEFF/, '')) } }
  } catch (error) {
    const wrong = `is not JSON (${(error as Error).message})`
    return { ok: false, problem: { key: 'config', value: path, origin, wrong, remedy: 'correct the file' } }
  }
}

/** Searches as Placement's own programs do; a file of Berth comes first. */
export async function readConfigFileOfPlacement(
  flag: string | undefined,
  env: Env,
  request: OsloRequest,
): Promise<FileReading> {
  if (flag !== undefined || env[FILE_VARIABLE]) return readConfigFile(flag, env)
  const isNamed = request.named.length > 0 || env[DIRECTORY_VARIABLE]
  if (!isNamed && existsSync(DEFAULT_PATH)) return readConfigFile(undefined, env)
  return readingOf(CONFIG_FILE, await readPlacementConfig(request, env))
}

function readingOf(path: string, reading: OsloReading): FileReading {
  if (!reading.ok) return reading
  const { translation } = reading
  const content = Object.fromEntries(translation.content)
  return { ok: true, file: { path: translation.files.at(-1) ?? path, content, translation } }
}
