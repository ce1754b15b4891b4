import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { nearestName } from '../../kernel/nearest-name.ts'
import type { KeyName } from '../keys.ts'
import type { ConfigProblem, Origin } from '../resolve.ts'
import { databaseMeaning } from './database-url.ts'
import { SIGN_IN_OPTIONS } from './keystone-options.ts'
import type { ConfigDraft, OptionValue, OsloOption } from './option.ts'
import {
  groupName,
  type OptionSource,
  OptionValues,
  optionText,
  type ParsedFile,
  ReferenceRefused,
  type Written,
} from './option-values.ts'
import { namesOf, type OptionGroup, optionGroups } from './options.ts'
import { readOption } from './read-option.ts'

/** The result of translating Placement's options. */
export interface Translation {
  /** The files, in the order in which they were read. */
  readonly files: readonly string[]
  /** Values of Berth's keys, in the form of its own file. */
  readonly content: ReadonlyMap<KeyName, unknown>
  readonly origins: ReadonlyMap<KeyName, Origin>
  /** Options that have no meaning here. */
  readonly meaningless: readonly OptionNote[]
  /** Options that Placement does not know. */
  readonly unknown: readonly OptionNote[]
  readonly problems: readonly ConfigProblem[]
  /** The SQLite file that `connection` names. */
  readonly sqliteFile: string | null
}

/** An option that is set but changes nothing. */
export interface OptionNote {
  readonly option: string
  readonly origin: Origin
  readonly text: string
}

interface TranslationRequest {
  readonly files: readonly ParsedFile[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The directories for files with a relative path in the configuration; the first match wins. */
  readonly directories: readonly string[]
}

/** Placement is the only service, at the root of its port. */
const IMPLIED: readonly (readonly [KeyName, unknown])[] = [
  ['only', 'placement'],
  ['auth', 'keystone'],
]
const POLICY_FILES = ['policy.yaml', 'policy.json'] as const

export function translate(request: TranslationRequest): Translation {
  const translator = new Translator(request)
  for (const group of optionGroups) translator.takeGroup(group)
  translator.takeDatabase()
  translator.takeImplied()
  translator.noteUnknown()
  return translator.result()
}

class Translator {
  readonly #request: TranslationRequest
  readonly #values: OptionValues
  readonly #content = new Map<KeyName, unknown>()
  readonly #origins = new Map<KeyName, Origin>()
  readonly #meaningless: OptionNote[] = []
  readonly #unknown: OptionNote[] = []
  readonly #problems: ConfigProblem[] = []
  readonly #known = new Set<string>()
  readonly #signInGroup: string
  #sqliteFile: string | null = null

  constructor(request: TranslationRequest) {
    this.#request = request
    this.#values = new OptionValues(request.files, request.env)
    const moved = this.#values.find([['keystone_authtoken', 'auth_section']])
    this.#signInGroup = groupName(moved?.text ?? 'keystone_authtoken')
  }

  takeGroup({ group, options }: OptionGroup): void {
    for (const option of options) {
      const home = SIGN_IN_OPTIONS.has(option) ? this.#signInGroup : group
      const names = namesOf(home, option)
      for (const [g, n] of [...names, ...namesOf(group, option)]) this.#known.add(optionText(g, n))
      const written = this.#values.find(names)
      if (written !== null) this.#take(option, home, written)
    }
  }

  #take(option: OsloOption, group: string, written: Written): void {
    const origin = originOf(written.source)
    const name = optionText(group, option.name)
    if (option.becomes.length === 0 && option.apply === undefined) {
      this.#meaningless.push({ option: name, origin, text: option.says })
      return
    }
    const problem = (wrong: string, remedy: string): void => {
      const value = isSecret(option) ? null : written.text
      this.#problems.push({ key: name, value, origin: placeOf(origin), wrong, remedy })
    }
    const reading = readOption(this.#values, option, group, written)
    if (!reading.ok) problem(reading.wrong, reading.remedy)
    if (!reading.ok || reading.value === null) return
    const apply =
      option.apply ?? ((given, draft) => draft.set(option.becomes[0] as KeyName, withoutEmptyItems(given)))
    apply(reading.value, this.#draft(name, group, origin, problem))
  }

  #draft(name: string, group: string, origin: Origin, refuse: ConfigDraft['refuse']): ConfigDraft {
    return {
      set: (key, value) => this.#set(key, value, origin),
      other: other => this.#text(group, other),
      findFile: path => this.#findFile(path),
      refuse,
      ignore: text => void this.#meaningless.push({ option: name, origin, text }),
    }
  }

  #set(key: KeyName, value: unknown, origin: Origin): void {
    if (this.#content.has(key)) return
    this.#content.set(key, value)
    this.#origins.set(key, origin)
  }

  #text(group: string, name: string): string | null {
    const written = this.#values.find([[group, name]])
    if (written === null || written.text.trim() === '') return null
    try {
      return this.#values.interpolate(written.text, group)
    } catch (error) {
      // That option reports the problem itself.
      if (error instanceof ReferenceRefused) return null
      throw error
    }
  }

  #findFile(path: string): string | null {
    const paths = isAbsolute(path)
      ? [path]
      : this.#request.directories.map(directory => join(directory, path))
    return paths.find(one => existsSync(one)) ?? null
  }

  takeDatabase(): void {
    const written = this.#values.find([['placement_database', 'connection']])
    const connection = this.#text('placement_database', 'connection')
    if (written === null || connection === null) return
    const origin = originOf(written.source)
    const meaning = databaseMeaning(
      connection,
      this.#text('placement_database', 'connection_parameters') ?? '',
    )
    if (meaning.engine === null) {
      const { wrong, remedy } = meaning
      this.#problems.push({
        key: '[placement_database] connection',
        value: null,
        origin: placeOf(origin),
        wrong,
        remedy,
      })
    } else if (meaning.engine !== 'sqlite') this.#set('database', meaning.database, origin)
    else {
      this.#sqliteFile = meaning.file
      // Wins over state_path, which was applied before.
      this.#content.delete('data_dir')
      this.#set('data_dir', meaning.data_dir, origin)
    }
  }

  takeImplied(): void {
    const [first] = this.#request.files
    const origin: Origin =
      first === undefined ? { from: 'default' } : { from: 'file', name: first.path, option: 'implied' }
    for (const [key, value] of IMPLIED) this.#set(key, value, origin)
    const policy = POLICY_FILES.map(name => this.#findFile(name)).find(path => path !== null)
    if (policy !== undefined) this.#set('policy_file', policy, origin)
  }

  noteUnknown(): void {
    for (const { group, name, written } of this.#values.all()) {
      if (this.#known.has(optionText(group, name))) continue
      const origin = originOf(written.source)
      const found = optionGroups.find(one => one.group === group)
      if (found?.others !== undefined)
        this.#meaningless.push({ option: optionText(group, name), origin, text: found.others })
      else
        this.#unknown.push({ option: optionText(group, name), origin, text: unknownText(group, name, found) })
    }
  }

  result(): Translation {
    return {
      files: this.#request.files.map(({ path }) => path),
      content: this.#content,
      origins: this.#origins,
      meaningless: this.#meaningless,
      unknown: this.#unknown,
      problems: this.#problems,
      sqliteFile: this.#sqliteFile,
    }
  }
}

function unknownText(group: string, name: string, found: OptionGroup | undefined): string {
  if (found === undefined) return `Placement has no group [${group}].`
  const near = nearestName(
    name,
    found.options.map(option => option.name),
  )
  return near === null
    ? `Placement has no such option.`
    : `Placement has no such option. Did you mean ${near}?`
}

const withoutEmptyItems = (value: OptionValue): OptionValue =>
  typeof value === 'object' ? value.filter(item => item !== '') : value

const isSecret = ({ name }: OsloOption): boolean => /password|connection|secret|admin_token/.test(name)

/** For callers that name the option themselves. */
function placeOf(origin: Origin): Origin {
  if (origin.from !== 'file') return origin
  const { option: _option, ...place } = origin
  return place
}

function originOf(source: OptionSource): Origin {
  if (source.from === 'environment') return { from: 'environment', name: source.name }
  return { from: 'file', name: source.path, option: source.option, line: source.line }
}
