import { readFile } from 'node:fs/promises'
import type { ConfigFile, Origin, Problem } from './resolve.ts'

export const DEFAULT_PATH = 'berth.json'
export const FILE_FLAG = '--config'
export const FILE_VARIABLE = 'BERTH_CONFIG'

export type FileReading =
  | { readonly ok: true; readonly file: ConfigFile | null }
  | { readonly ok: false; readonly problem: Problem }

/** The file named by the flag, else by the environment, else `berth.json` if there is one. */
export async function readConfigFile(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FileReading> {
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
  try {
    return { ok: true, file: { path, content: JSON.parse(text.replace(/^\uFEFF/, '')) } }
  } catch (error) {
    const wrong = `is not JSON (${(error as Error).message})`
    return { ok: false, problem: { key: 'config', value: path, origin, wrong, remedy: 'correct the file' } }
  }
}
