import { ApiError, type Credentials } from './api.ts'

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

interface Asking {
  readonly policy: Policy
}

interface WithCredentials {
  readonly credentials: Credentials
}

/** Whether the caller sees the resources of all projects. */
export const isAdmin = ({ policy }: Asking, credentials: Credentials): boolean =>
  policy.allows('context_is_admin', credentials, { project_id: credentials.projectId })

/** Throws 403 if the policy does not allow the operation on a resource of the project. */
export function requireAllowed(
  { policy }: Asking,
  { credentials }: WithCredentials,
  operation: string,
  projectId: string | null = credentials.projectId,
): void {
  if (!policy.allows(operation, credentials, { project_id: projectId }))
    throw new ApiError(403, forbiddenText(operation))
}
