import type { Credentials } from './api.ts'

/** The target of an operation. A missing attribute matches nothing. */
export interface PolicyTarget {
  readonly project_id: string | null
  readonly user_id?: string | null
  /** `public` or `private`, for things that have it. */
  readonly visibility?: string
  readonly [name: string]: string | null | undefined
}

export interface Policy {
  knows(operation: string): boolean
  /** All known operations. */
  operations(): readonly string[]
  allows(operation: string, credentials: Credentials, target: PolicyTarget): boolean
}

export const forbiddenText = (operation: string): string =>
  `Policy does not allow ${operation} to be performed.`
