import type { KeyName } from '../keys.ts'

export type OptionType = 'text' | 'boolean' | 'integer' | 'list'
export type OptionValue = string | boolean | number | readonly string[]

/** Another name of an option, in the same group or in another. */
export type OtherName = string | readonly [group: string, name: string]

/** An option that oslo.config accepts in a placement.conf. */
export interface OsloOption {
  readonly name: string
  readonly type: OptionType
  /** Deprecated names and other spellings. */
  readonly otherNames?: readonly OtherName[]
  /** The keys of Berth that it sets; none if it has no meaning here. */
  readonly becomes: readonly KeyName[]
  /** What it becomes, or why it has no meaning here. A sentence for the reference. */
  readonly says: string
  /** Converts the value; absent if the first key takes it as it is. */
  readonly apply?: Apply
}

/** Sets keys. The first value of a key stays: options are applied in the order of the table. */
export interface ConfigDraft {
  set(key: KeyName, value: unknown): void
  /** The text of another option of the same group, interpolated. */
  other(name: string): string | null
  /** The path of a file that is named relative to the configuration; null if it does not exist. */
  findFile(name: string): string | null
  refuse(wrong: string, remedy: string): void
  /** This value has no effect here, although the option has. */
  ignore(why: string): void
}

type Apply = (value: OptionValue, draft: ConfigDraft) => void

/** An option that is accepted and has no effect. */
export const withoutMeaning = (
  name: string,
  type: OptionType,
  says: string,
  otherNames: readonly OtherName[] = [],
): OsloOption => ({
  name,
  type,
  says,
  otherNames,
  becomes: [],
})
