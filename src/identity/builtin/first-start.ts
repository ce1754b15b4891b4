import { randomBytes } from 'node:crypto'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { World } from '../../world/world.ts'
import { ROLES } from '../rules/roles.ts'
import type { IdentityRules } from '../rules/rules.ts'
import { ensureAdminPassword, removeAdminPassword } from '../token-file.ts'
import { hashPassword } from './passwords.ts'

/** An id in Keystone's form. */
export const newId = (): string => randomBytes(16).toString('hex')

/**
 * Creates the roles and an admin in a new store. The file with the password is written first, so that the next start
 * can go on from wherever this one stopped.
 */
export async function initializeStore(
  dataDir: string,
  { world, sequencer }: { readonly world: World; readonly sequencer: Sequencer<IdentityRules> },
): Promise<boolean> {
  if (world.identity.roles.size > 0) return false
  const { token: password, created } = await ensureAdminPassword(dataDir)
  const passwordHash = await hashPassword(password, { name: 'first start', isKnown: true })
  const roles = ROLES.map(name => ({ uuid: newId(), name }))
  const outcome = await sequencer.submit({ kind: 'identity:bootstrap', passwordHash, roles })
  const done = outcome.ok && outcome.answer
  // Another server on the same database was faster; its password is the valid one.
  if (!done && created) await removeAdminPassword(dataDir)
  return done
}
