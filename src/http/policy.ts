import type { Credentials } from './api.ts'

/** What an operation is about. What it does not have matches nothing. */
export interface PolicyTarget {
  readonly project_id: string | null
  readonly user_id?: string | null
  /** Whether it is for everybody, where things say that of themselves: `public` or `private`. */
  readonly visibility?: string
  readonly [name: string]: string | null | undefined
}

/** Decides whether a caller may do an operation. */
export interface Policy {
  knows(operation: string): boolean
  /** Every operation there is. */
  operations(): readonly string[]
  allows(operation: string, credentials: Credentials, target: PolicyTarget): boolean
}

/** The text of a 403. */
export const forbiddenText = (operation: string): string =>
  `Policy does not allow ${operation} to be performed.`
