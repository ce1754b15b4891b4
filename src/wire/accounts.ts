import { list, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

export const USER_TOKENS_MAX = 1_000
export const USER_CREDENTIALS_MAX = 1_000

const userToken = object('A token of a user that is valid now.', {
  id: text('Its id, for revoking it; nobody can sign in with it.'),
  user: text('The id of the user.'),
  user_name: text('What the user is called.'),
  project: orNull(text('The id of the project; null: the token has none.')),
  project_name: orNull(text('What the project is called.')),
  roles: list(text('A role.'), 'What it has now, with what is implied.'),
  methods: list(text('A method.'), 'How the user signed in, such as `password` or `application_credential`.'),
  application_credential: orNull(text('The name of the application credential that it was issued for.')),
  issued_at: text('When it was issued.'),
  expires_at: text('When it expires.'),
})

export const userTokensShape = object('A part of the tokens.', {
  tokens: list(userToken, 'Those that are valid longest first.'),
  next: orNull(text('For `after`, to read on; null: there are no more.')),
})

export const revokedTokenShape = object('A token that is revoked.', { id: text('Its id.') })

export const revokedUserShape = object('A user without tokens.', {
  user: text('The id of the user.'),
  user_name: text('What the user is called.'),
  issued_until: text('Tokens that were issued until then are invalid.'),
})

const userCredential = object('An application credential of a user, without its secret.', {
  id: text('Its id.'),
  name: text('What the user calls it.'),
  description: orNull(text('What it is for.')),
  user: text('The id of the user.'),
  user_name: text('What the user is called.'),
  project: text('The id of the project in which it works.'),
  project_name: text('What the project is called.'),
  roles: list(text('A role.'), 'The roles that it was given, without what is implied.'),
  unrestricted: yesOrNo('It may create and remove credentials and static tokens.'),
  created_at: text('When it was created.'),
  expires_at: orNull(text('When it expires; null: never.')),
})

export const userCredentialsShape = object('A part of the application credentials.', {
  credentials: list(userCredential, 'The oldest first.'),
  total: whole('How many match, those of other pages included.'),
  next: orNull(whole('For `after`, to read on; null: there are no more.')),
})

export const accountsShape = object('Where users are, and what this server knows of them.', {
  auth: oneOf('How callers are authenticated.', 'token', 'keystone', 'noauth2'),
  rbac: oneOf('The defaults of the policy.', 'secure', 'legacy', 'open'),
  policy_lines: whole('How many operations a policy file changes.'),
  users: whole('How many users the store has.'),
  projects: whole('How many projects the store has.'),
  roles: whole('How many roles the store has.'),
  application_credentials: whole('How many application credentials the store has.'),
  static_tokens: whole('How many static tokens the store has.'),
  keystone: orNull(
    object('The Keystone that keeps users; null unless `auth` is `keystone`.', {
      url: text('Its address.'),
      cached_tokens: whole('How many tokens this process has a valid answer for.'),
      cache_s: whole('For how long an answer is used, in seconds.'),
    }),
  ),
})

export const policyShape = object('The policy in force.', {
  rbac: oneOf('The defaults.', 'secure', 'legacy', 'open'),
  roles: list(text('A role.'), 'The roles that `allowed_roles` looks at, 50 at most.'),
  rules: list(
    object('The rule of an operation.', {
      operation: text('The operation.'),
      what: text('What it is.'),
      rule: text('The rule, in the language of oslo.policy.'),
      from: oneOf('Where the rule is from.', 'default', 'file'),
      allowed_roles: list(
        text('A role.'),
        'The roles that alone allow it, with what they imply, to what belongs to the caller and its project.',
      ),
    }),
    'In the order of the services.',
  ),
})

export const operationRolesShape = object('Which roles are enough for an operation.', {
  operation: text('The operation.'),
  what: text('What it is.'),
  allowed_roles: list(
    text('A role.'),
    'The roles that alone allow it, with what they imply, to what belongs to the caller and its project.',
  ),
})

export type UserCredential = TypeOf<typeof userCredential>
export type UserCredentials = TypeOf<typeof userCredentialsShape>
export type UserTokens = TypeOf<typeof userTokensShape>
export type UserToken = TypeOf<typeof userToken>
export type Accounts = TypeOf<typeof accountsShape>
export type PolicyInForce = TypeOf<typeof policyShape>
export type OperationRoles = TypeOf<typeof operationRolesShape>
