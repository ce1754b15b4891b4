import { ownValue } from '../../../src/kernel/records.ts'

export type Specs = Readonly<Record<string, string>>

export interface SpecChanges {
  readonly set: Specs
  readonly removed: readonly string[]
}

/** The writes that turn one into the other. */
export function specChanges(before: Specs, after: Specs): SpecChanges {
  return {
    set: Object.fromEntries(Object.entries(after).filter(([key, value]) => ownValue(before, key) !== value)),
    removed: Object.keys(before).filter(key => ownValue(after, key) === undefined),
  }
}
