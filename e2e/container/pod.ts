import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What a deployment makes of the image: what it runs, as whom, and what it puts there. */
export interface Pod {
  /** Instead of what the image starts; null: that. */
  readonly command: readonly string[] | null
  /** Behind what the image starts. */
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Null: the user of the image. */
  readonly user: number | null
  readonly isReadOnly: boolean
  readonly volumes: readonly Volume[]
}

interface Volume {
  readonly path: string
  /** The text of a file; or the files of a directory, none for one that is empty and may be written. */
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

/** Writes what the volumes hold below a directory. The arguments of `--volume`. */
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
  // Mounts are made in this order, so what is inside of another comes after it.
  return found.sort((one, other) => mountPath(one).length - mountPath(other).length)
}

const mountPath = (volume: string): string => volume.split(':')[1] as string
