/** Why a write to identity was refused. */
export type IdentityRefusal =
  | { readonly kind: 'identity-missing'; readonly what: Thing; readonly id: string }
  | { readonly kind: 'identity-exists'; readonly what: Thing; readonly name: string }
  /** Another static token has the same hash, so it is the same token. */
  | { readonly kind: 'static-token-same'; readonly name: string }
  | { readonly kind: 'role-in-use'; readonly role: string; readonly users: number }
  | { readonly kind: 'grant-missing'; readonly user: string; readonly project: string; readonly role: string }
  /** The caller passes on roles that it does not have. */
  | { readonly kind: 'roles-not-held'; readonly roles: readonly string[] }
  | { readonly kind: 'too-many'; readonly what: Thing; readonly limit: number }
  | { readonly kind: 'sign-in-outdated' }

export type Thing = 'user' | 'project' | 'role' | 'application credential' | 'static token'
