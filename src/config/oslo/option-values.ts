import { ownValue } from '../../kernel/records.ts'
import type { Assignment } from './ini.ts'
import type { OsloOption } from './option.ts'
import { namesOf, optionGroups } from './options.ts'
import { readValue } from './values.ts'

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

/** oslo.config compares section names in this form; names of options stay as they are. */
export const groupName = (section: string): string =>
  section === 'DEFAULT' ? section : section.toLowerCase()

export const optionText = (group: string, name: string): string => `[${group}] ${name}`

/** How deep references may be nested. */
const DEPTH_MAX = 16
const TEXT_CHARS_MAX = 64 * 1024

/** A value refers to something that does not exist. */
export class ReferenceRefused extends Error {
  override name = 'ReferenceRefused'
}

/** All values in the environment and the files. The environment wins over files, a later file over an earlier one. */
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
              const option = optionText(groupName(section), key)
              return [option, { text: value, source: { from: 'file', path, line, option } }]
            }),
          ),
      )
      .reverse()
  }

  /** The effective value of an option, under any of its names, preferred name first. Not yet interpolated. */
  find(names: readonly (readonly [group: string, name: string])[]): Written | null {
    const [first] = names
    if (first === undefined) return null
    // Deprecated names count in files only.
    const variable = `OS_${first.join('__').toUpperCase()}`
    const text = ownValue(this.#env, variable)
    if (text !== undefined) return { text, source: { from: 'environment', name: variable } }
    for (const file of this.#files)
      for (const [group, name] of names) {
        const written = file.get(optionText(group, name))
        if (written !== undefined) return written
      }
    return null
  }

  /** Every option in the files, each once, with its effective value. */
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

  /** Replaces `$name`, `${name}` and `${group.name}`; `$$` and `\$` are a dollar sign. Throws ReferenceRefused. */
  interpolate(text: string, group: string, depth = 0): string {
    if (!text.includes('$')) return text
    if (depth >= DEPTH_MAX) throw new ReferenceRefused('refers to itself')
    const whole = text.replaceAll('\\$', '$$$$').replace(REFERENCE, (_, bare, braced) => {
      if (bare === undefined && braced === undefined) return '$'
      return this.#resolveReference((bare ?? braced) as string, group, depth + 1)
    })
    if (whole.length > TEXT_CHARS_MAX) throw new ReferenceRefused('is too long with all that it refers to')
    return whole
  }

  #resolveReference(reference: string, group: string, depth: number): string {
    const dot = reference.indexOf('.')
    const [home, name] = dot < 0 ? [group, reference] : [reference.slice(0, dot), reference.slice(dot + 1)]
    // DEFAULT does not exist as a named group.
    const inGroup = dot < 0 || home !== 'DEFAULT' ? this.#textOf(home, name, depth) : null
    const text = inGroup ?? this.#textOf('DEFAULT', reference, depth)
    if (text === null)
      throw new ReferenceRefused(`refers to $${reference}, which is not set; a dollar sign is written $$`)
    return text
  }

  /** An option as Python's text form: its meaning, not its spelling. */
  #textOf(group: string, name: string, depth: number): string | null {
    const { home, option } = findOption(group, name) ?? { home: group, option: null }
    const written = this.find(option === null ? [[group, name]] : namesOf(home, option))
    if (written === null) return null
    const text = this.interpolate(written.text, home, depth)
    if (option === null || text.trim() === '') return text
    const reading = readValue(option.type, text)
    if (!reading.ok)
      throw new ReferenceRefused(`refers to ${optionText(home, option.name)}, which ${reading.wrong}`)
    return typeof reading.value === 'boolean'
      ? reading.value
        ? 'True'
        : 'False'
      : option.type === 'integer'
        ? String(reading.value)
        : text
  }
}

const optionsByName: ReadonlyMap<string, { readonly home: string; readonly option: OsloOption }> = new Map(
  optionGroups.flatMap(({ group: home, options }) =>
    options.flatMap(option =>
      namesOf(home, option).map(([group, name]) => [optionText(group, name), { home, option }] as const),
    ),
  ),
)
const findOption = (group: string, name: string) => optionsByName.get(optionText(group, name))

// A dollar sign before any other character is literal.
const REFERENCE = /\$(?:\$|([_a-z][._a-z0-9]*)|\{([_a-z][._a-z0-9]*)\})/gi
