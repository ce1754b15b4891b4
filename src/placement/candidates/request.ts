/** A parsed request for allocation candidates: names and uuids as given, in the newest form. */
export interface CandidateRequest {
  /** In the order in which the query names them. The unsuffixed group has suffix ''. */
  readonly groups: readonly RequestGroup[]
  readonly groupPolicy: 'none' | 'isolate' | null
  /** The root must have at least one trait of every list. */
  readonly rootRequired: readonly (readonly string[])[]
  readonly rootForbidden: readonly string[]
  /** The groups of each list must be served from one subtree. */
  readonly sameSubtrees: readonly (readonly string[])[]
  readonly limit: number | null
}

export interface RequestGroup {
  readonly suffix: string
  readonly resources: ReadonlyMap<string, number>
  /** The provider must have at least one trait of every list. */
  readonly required: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** The provider must be in at least one aggregate of every list. */
  readonly memberOf: readonly (readonly string[])[]
  readonly forbiddenAggregates: readonly string[]
  readonly inTree: string | null
}

/** The behaviour that depends on the API version. */
export interface CandidateBehaviour {
  /** A candidate may use several providers of one tree. */
  readonly nested: boolean
  /**
   * The unsuffixed in_tree accepts candidates that use at least one provider of the tree; otherwise it binds
   * every provider of the unsuffixed group. in_tree then also binds groups without resources.
   */
  readonly inTreeTouches: boolean
}

export interface SearchSettings {
  readonly strategy: 'depth-first' | 'breadth-first'
  /** Null: in order of provider. */
  readonly randomSeed: number | null
  /** Infinity for no limit. */
  readonly candidatesMax: number
  /** How many partial combinations the search may try. */
  readonly stepsMax: number
  /** Absent if there are no other limits. */
  readonly bounds?: SearchBounds
}

/** Limits besides the number of steps, because steps differ in cost and in use. */
export interface SearchBounds {
  /** The maximum of useless work, in units of about one step of a request with few groups. */
  readonly workMax: number
  /** The maximum of providers in all candidates together, which limits the size of the answer. */
  readonly providersMax: number
}

/** For searches that only ask whether there is a candidate: as much work as steps. */
export const workBounds = (stepsMax: number): SearchBounds => ({
  workMax: stepsMax,
  providersMax: Number.POSITIVE_INFINITY,
})

/** In proportion to the steps, plus an amount per provider: in a larger cloud more work can be useless. */
export const searchBounds = (stepsMax: number, providers: number): SearchBounds => ({
  workMax: stepsMax / 25 + 4 * providers,
  providersMax: Math.max(stepsMax / 4, 10_000),
})

/** A request that names something unknown is refused, unless an earlier part already allows nothing. */
export type CandidateRefusal =
  | { readonly kind: 'unknown-class'; readonly name: string }
  | { readonly kind: 'unknown-trait'; readonly name: string }
