import { ownValue } from '../../kernel/records.ts'
import { SQUASHES } from '../drivers/nfs-exports.ts'

type Settings = Readonly<Record<string, unknown>>

/** These write files and run programs on the server, so only the server's `backends.json` may set them. */
const HOST_SETTINGS = ['exports_file', 'ganesha_file', 'reload_command'] as const

const WORDS_MAX = 64

/** The field, and what it must be; null if all are fine. */
export function findSettingsFault(settings: Settings): readonly [field: string, must: string] | null {
  if (!isPath(settings.root)) return ['root', 'must be the absolute path of a directory']
  for (const field of ['exports_file', 'ganesha_file'] as const)
    if (!isPath(ownValue(settings, field) ?? '/')) return [field, 'must be the absolute path of a file']
  if (settings.ganesha_file !== undefined && settings.ganesha_file === settings.exports_file)
    return ['ganesha_file', 'must be another file than exports_file']
  if (settings.squash !== undefined && !SQUASHES.some(one => one === settings.squash))
    return ['squash', `must be one of ${SQUASHES.join(', ')}`]
  return settings.reload_command === undefined || isCommand(settings.reload_command)
    ? null
    : ['reload_command', `must be a list of 1 to ${WORDS_MAX} texts: a program and its arguments`]
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0')

const isPath = (value: unknown): boolean => isText(value) && value.startsWith('/')

const isCommand = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= WORDS_MAX && value.every(isText)

/** The first new value of a setting that only the server's own file may set; null if there is none. */
export const findHostSetting = (settings: Settings, before: Settings = {}): string | null =>
  HOST_SETTINGS.find(
    field =>
      ownValue(settings, field) !== undefined &&
      JSON.stringify(ownValue(settings, field)) !== JSON.stringify(ownValue(before, field)),
  ) ?? null

export const describeHostSetting = (field: string): string =>
  `${field} acts on the server itself, and can only be set in its backends.json`
