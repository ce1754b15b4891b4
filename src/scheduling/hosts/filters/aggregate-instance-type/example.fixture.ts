type Texts = Readonly<Record<string, string>>

/** A flavor's extra specs, the metadata of a host's aggregates, and whether the flavor may go there. */
interface Example {
  readonly claim: string
  readonly extraSpecs: Texts
  readonly aggregates: readonly Texts[]
  readonly passes: boolean
}

/** Examples of one rule, for the reference page and the tests. */
export interface ExampleGroup {
  readonly title: string
  readonly rule: string
  readonly examples: readonly Example[]
}

export const addForce = (metadata: Texts): Texts => ({ ...metadata, force_metadata_check: 'True' })

const example =
  (passes: boolean) =>
  (claim: string, extraSpecs: Texts, ...aggregates: Texts[]): Example => ({
    claim,
    extraSpecs,
    aggregates,
    passes,
  })

export const goes = example(true)
export const isRefused = example(false)

export const group = (title: string, rule: string, ...examples: Example[]): ExampleGroup => ({
  title,
  rule,
  examples,
})
