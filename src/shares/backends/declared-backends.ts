/** Back ends as operators declare them: in `backends.json`, or for `berth apply`. */
export interface DeclaredBackends {
  readonly host: string
  readonly backends: readonly DeclaredBackend[]
}

export interface DeclaredBackend {
  readonly name: string
  readonly driver: string
  /** For the driver. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly availabilityZone: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly pools: readonly DeclaredPool[]
}

export interface DeclaredPool {
  readonly name: string
  readonly totalGb: number
  readonly reservedPercentage: number
  readonly overSubscription: number
  readonly capabilities: Readonly<Record<string, unknown>>
}

export interface DeclaredType {
  readonly name: string
  readonly description: string | null
  readonly isPublic: boolean
  readonly extraSpecs: Readonly<Record<string, string>>
}
