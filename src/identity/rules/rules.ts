import { bootstrap } from './bootstrap.ts'
import {
  createCredential,
  createStaticToken,
  deleteCredential,
  deleteStaticToken,
  issueToken,
  revokeToken,
} from './credentials.ts'
import {
  createProject,
  createRole,
  deleteProject,
  deleteRole,
  grantRole,
  revokeRole,
  updateProject,
} from './projects.ts'
import { createUser, deleteUser, revokeUserTokens, updateUser } from './users.ts'

export const identityRules = {
  'identity:bootstrap': bootstrap,
  'identity:create-user': createUser,
  'identity:update-user': updateUser,
  'identity:delete-user': deleteUser,
  'identity:create-project': createProject,
  'identity:update-project': updateProject,
  'identity:delete-project': deleteProject,
  'identity:create-role': createRole,
  'identity:delete-role': deleteRole,
  'identity:grant': grantRole,
  'identity:revoke-grant': revokeRole,
  'identity:create-credential': createCredential,
  'identity:delete-credential': deleteCredential,
  'identity:create-static-token': createStaticToken,
  'identity:delete-static-token': deleteStaticToken,
  'identity:issue-token': issueToken,
  'identity:revoke-token': revokeToken,
  'identity:revoke-user-tokens': revokeUserTokens,
}

export type IdentityRules = typeof identityRules
