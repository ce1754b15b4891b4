import { assert } from './assert.ts'

/** A feature: the minor version that adds it, its name, and a short description. */
export type FeatureRow = readonly [since: number, name: string, brings: string]

/** The microversions of a service. Routes and schemas ask for features by name, never for version numbers. */
export interface Microversions<Features> {
  readonly min: string
  readonly max: string
  readonly minorMin: number
  /** One row for each feature, oldest first. */
  readonly history: readonly { readonly version: string; readonly brings: string }[]
  /** The features of a minor version, which must exist. Always returns the same object. */
  readonly featuresOf: (minor: number) => Features
}

export function defineMicroversions<Features extends { readonly [name: string]: boolean }>(
  major: number,
  minorMin: number,
  minorMax: number,
  rows: readonly FeatureRow[],
): Microversions<Features> {
  for (const [since, name] of rows)
    assert(since <= minorMax, () => `${name} comes after ${major}.${minorMax}`)
  const byMinor = Array.from(
    { length: minorMax + 1 },
    (_, minor) => Object.fromEntries(rows.map(([since, name]) => [name, minor >= since])) as Features,
  )
  return {
    min: `${major}.${minorMin}`,
    max: `${major}.${minorMax}`,
    minorMin,
    history: rows.map(([since, , brings]) => ({ version: `${major}.${since}`, brings })),
    featuresOf(minor) {
      const features = byMinor[minor]
      assert(features !== undefined, () => `version ${major}.${minor} exists`)
      return features
    },
  }
}
