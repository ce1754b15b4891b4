/** A request for allocation candidates, parsed: names and uuids as given, in the newest shape. */
export interface CandidateRequest {
  /** In the order in which the query names them. The unsuffixed group has suffix ''. */
  readonly groups: readonly RequestGroup[]
  readonly groupPolicy: 'none' | 'isolate' | null
  /** Every list must be met by the root, with any one of its traits. */
  readonly rootRequired: readonly (readonly string[])[]
  readonly rootForbidden: readonly string[]
  /** Each list of suffixes must be served from one subtree. */
  readonly sameSubtrees: readonly (readonly string[])[]
  readonly limit: number | null
}

export interface RequestGroup {
  readonly suffix: string
  readonly resources: ReadonlyMap<string, number>
  /** Every list must be met, by any one of its traits. */
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** Every list must be met, by any one of its aggregates. */
  readonly memberOf: readonly (readonly string[])[]
  readonly forbiddenAggregates: readonly string[]
  readonly inTree: string | null
}

/** In what the versions of the API differ. */
export interface CandidateBehaviour {
  /** A candidate may use several providers of one tree. */
  readonly nested: boolean
  /**
   * The unsuffixed in_tree keeps candidates that use at least one provider of the tree; otherwise it binds
   * every provider of the unsuffixed group. And in_tree binds groups without resources too.
   */
  readonly inTreeTouches: boolean
}

export interface SearchSettings {
  readonly strategy: 'depth-first' | 'breadth-first'
  /** Null: in order of provider. */
  readonly randomSeed: number | null
  /** Infinity for no limit. */
  readonly candidatesMax: number
  /** How many partial combinations may be looked at. */
  readonly stepsMax: number
  /** Absent: no other bounds. */
  readonly bounds?: SearchBounds
}

/** Steps differ in what they cost, and in what comes of them. */
export interface SearchBounds {
  /** How much may be looked at in vain, in units of about a step of a request with few groups. */
  readonly workMax: number
  /** How many providers all candidates may have together: so much is to be written down. */
  readonly providersMax: number
}

/** For searches that only ask whether there is something: as much work as steps. */
export const workBounds = (stepsMax: number): SearchBounds => ({
  workMax: stepsMax,
  providersMax: Number.POSITIVE_INFINITY,
})

/** In proportion to the steps; and a larger cloud has more that can be in vain. */
export const searchBounds = (stepsMax: number, providers: number): SearchBounds => ({
  workMax: stepsMax / 25 + 4 * providers,
  providersMax: Math.max(stepsMax / 4, 10_000),
})

/** A request that names what does not exist is wrong, unless an earlier part of it already allows nothing. */
export type CandidateRefusal =
  | { readonly kind: 'unknown-class'; readonly name: string }
  | { readonly kind: 'unknown-trait'; readonly name: string }
