/** The answer of GET /, which needs no token. */
export interface ServerFacts {
  readonly version: string
  readonly auth: string
  /** A Placement is shadowed. */
  readonly shadow?: true
  readonly services: readonly {
    readonly name: string
    readonly path: string
    readonly min_version?: string
    readonly max_version?: string
  }[]
}
