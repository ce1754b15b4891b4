import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A file or directory from the command line, in order. */
export interface NamedSource {
  readonly kind: 'file' | 'directory'
  readonly path: string
}

/** Where oslo.config looks for the files of a project. */
export interface SearchPlaces {
  readonly homeDirectory: string
  readonly etc?: string
  readonly share?: string
}

const PROJECT = 'placement'
/** The name of the file. */
export const CONFIG_FILE = `${PROJECT}.conf`

/** The directories that oslo.config searches; the first match wins. */
export function configDirectories({ homeDirectory, etc = '/etc' }: SearchPlaces): string[] {
  return [join(homeDirectory, `.${PROJECT}`), homeDirectory, join(etc, PROJECT), etc]
}

/** Red Hat's package defaults, then `placement.conf`, then the file of the program itself. */
export function defaultFiles(program: string, places: SearchPlaces): string[] {
  const directories = configDirectories(places)
  const found = [PROJECT, program].flatMap(name => {
    const path = directories.map(directory => join(directory, `${name}.conf`)).find(one => existsSync(one))
    return path === undefined ? [] : [path]
  })
  const shipped = join(places.share ?? '/usr/share', PROJECT, `${PROJECT}-dist.conf`)
  return existsSync(shipped) ? [shipped, ...found] : found
}

/** `placement.conf.d` and the directory of the program, each from the first place that has it. */
export function defaultDirectories(program: string, places: SearchPlaces): string[] {
  const directories = configDirectories(places)
  return [PROJECT, program].flatMap(name => {
    const path = directories.map(directory => join(directory, `${name}.conf.d`)).find(one => existsSync(one))
    return path === undefined ? [] : [path]
  })
}

/** The files of a directory, in the order in which oslo.config reads them. Throws Node's errors. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter(name => name.endsWith('.conf') && !name.startsWith('.'))
    .sort()
    .map(name => join(directory, name))
}
