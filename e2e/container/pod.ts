import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A deployment of the image: command, user and volumes. */
export interface Pod {
  /** Replaces the command of the image; null: does not. */
  readonly command: readonly string[] | null
  /** Arguments after the command of the image. */
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Null: the user of the image. */
  readonly user: number | null
  readonly isReadOnly: boolean
  readonly volumes: readonly Volume[]
}

interface Volume {
  readonly path: string
  /** The text of a file; or the files of a directory, which is writable if it has none. */
  readonly content: string | Readonly<Record<string, string>>
  /** Of files. */
  readonly mode: number
}

export type IniGroups = Readonly<Record<string, Readonly<Record<string, string>>>>

export const iniText = (groups: IniGroups): string =>
  Object.entries(groups)
    .flatMap(([group, options]) => [
      `[${group}]`,
      ...Object.entries(options).map(([name, value]) => `${name} = ${value}`),
    ])
    .join('\n')

/** Writes the contents of the volumes below a directory. Returns the arguments of `--volume`. */
export async function writeVolumes({ volumes }: Pod, directory: string): Promise<string[]> {
  const found: string[] = []
  for (const [nth, { path, content, mode }] of volumes.entries()) {
    const at = join(directory, String(nth))
    const isFile = typeof content === 'string'
    const files = isFile ? { '': content } : content
    await mkdir(isFile ? directory : at, { recursive: true })
    for (const [name, text] of Object.entries(files)) {
      const file = join(at, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
      await chmod(file, mode)
    }
    const isEmpty = !isFile && Object.keys(files).length === 0
    if (isEmpty) await chmod(at, 0o777)
    found.push(`${at}:${path}${isEmpty ? '' : ':ro'}`)
  }
  // Mounts happen in this order, so inner ones come after outer ones.
  return found.sort((one, other) => mountPath(one).length - mountPath(other).length)
}

const mountPath = (volume: string): string => volume.split(':')[1] as string
