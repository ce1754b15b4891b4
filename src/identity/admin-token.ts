import type { Credentials } from '../http/api.ts'
import { ADMIN } from './rules/bootstrap.ts'

/** Who the admin token of a data directory stands for: the admin in its project, with every role there is. */
export const ADMIN_CREDENTIALS: Credentials = {
  userId: ADMIN,
  projectId: ADMIN,
  roles: ['admin', 'manager', 'service', 'member', 'reader'],
  systemScope: false,
  names: { user: ADMIN, project: ADMIN },
}
