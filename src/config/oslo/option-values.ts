import { ownValue } from '../../kernel/records.ts'
import type { Assignment } from './ini.ts'

/** A value as it was written, and where. */
export interface Written {
  readonly text: string
  readonly source: OptionSource
}

export type OptionSource =
  | { readonly from: 'file'; readonly path: string; readonly line: number; readonly option: string }
  | { readonly from: 'environment'; readonly name: string }

export interface ParsedFile {
  readonly path: string
  readonly assignments: readonly Assignment[]
}

/** Sections and keys as oslo.config compares them. */
export const groupName = (section: string): string =>
  section === 'DEFAULT' ? section : section.toLowerCase().replaceAll('-', '_')
const optionName = (key: string): string => key.replaceAll('-', '_')

export const optionText = (group: string, name: string): string => `[${group}] ${name}`

/** One more than a value that refers to a value that refers to a value ... needs. */
const DEPTH_MAX = 16
const TEXT_CHARS_MAX = 64 * 1024

/** A value refers to something that is not there. */
export class ReferenceRefused extends Error {
  override name = 'ReferenceRefused'
}

/** All that the environment and the files say. The environment wins over the files, a later file over an earlier. */
export class OptionValues {
  readonly #files: readonly Map<string, Written>[]
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(files: readonly ParsedFile[], env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
    // The last of several assignments in a file wins.
    this.#files = files
      .map(
        ({ path, assignments }) =>
          new Map(
            assignments.map(({ section, key, value, line }): [string, Written] => {
              const [group, name] = [groupName(section), optionName(key)]
              const source = { from: 'file', path, line, option: optionText(group, name) } as const
              return [optionText(group, name), { text: value, source }]
            }),
          ),
      )
      .reverse()
  }

  /** The value in force of an option that goes by any of the names, the preferred one first. Not yet interpolated. */
  find(names: readonly (readonly [group: string, name: string])[]): Written | null {
    for (const [group, name] of names) {
      const variable = `OS_${group.toUpperCase()}__${name.toUpperCase()}`
      const text = ownValue(this.#env, variable)
      if (text !== undefined) return { text, source: { from: 'environment', name: variable } }
    }
    for (const file of this.#files)
      for (const [group, name] of names) {
        const written = file.get(optionText(group, name))
        if (written !== undefined) return written
      }
    return null
  }

  /** Every option that a file has, each once, with its value in force. */
  *all(): Generator<{ readonly group: string; readonly name: string; readonly written: Written }> {
    const seen = new Set<string>()
    for (const file of this.#files)
      for (const [option, written] of file) {
        if (seen.has(option)) continue
        seen.add(option)
        const end = option.indexOf('] ')
        yield { group: option.slice(1, end), name: option.slice(end + 2), written }
      }
  }

  /** With `$name`, `${name}` and `${group.name}` replaced; `$$` and `\$` are a dollar sign. Throws ReferenceRefused. */
  interpolate(text: string, group: string, depth = 0): string {
    if (!text.includes('$')) return text
    if (depth >= DEPTH_MAX) throw new ReferenceRefused('refers to itself')
    const whole = text.replaceAll('\\$', '$$$$').replace(REFERENCE, (_, bare, braced) => {
      if (bare === undefined && braced === undefined) return '$'
      const name = (bare ?? braced) as string
      const [found, home] = this.#referred(name, group)
      if (found === null)
        throw new ReferenceRefused(`refers to $${name}, which is not set; a dollar sign is written $$`)
      return this.interpolate(found.text, home, depth + 1)
    })
    if (whole.length > TEXT_CHARS_MAX) throw new ReferenceRefused('is too long with all that it refers to')
    return whole
  }

  #referred(name: string, group: string): [found: Written | null, group: string] {
    const dot = name.indexOf('.')
    const home = dot < 0 ? group : groupName(name.slice(0, dot))
    const found = this.find([[home, dot < 0 ? name : name.slice(dot + 1)]])
    return found === null ? [this.find([['DEFAULT', name]]), 'DEFAULT'] : [found, home]
  }
}

// A dollar sign before anything else stands for itself.
const REFERENCE = /\$(?:\$|([_a-z][._a-z0-9]*)|\{([_a-z][._a-z0-9]*)\})/gi
