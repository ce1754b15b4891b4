/** At most one of them; none is the whole cloud. */
export interface UsageScope {
  readonly zone?: string
  readonly aggregate?: string
  readonly host?: string
}
