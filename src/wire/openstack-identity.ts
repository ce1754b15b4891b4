/** Answers of the identity API that the command line and the console read. */

export interface User {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly default_project_id?: string
  readonly description?: string
  readonly email?: string
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly domain_id?: string
}

export interface Role {
  readonly id: string
  readonly name: string
}

export interface RoleAssignment {
  readonly user: { readonly id: string; readonly name: string }
  readonly scope: { readonly project: { readonly id: string; readonly name: string } }
  readonly role: { readonly id: string; readonly name: string }
}
