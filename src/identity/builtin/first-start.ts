import { randomBytes } from 'node:crypto'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { World } from '../../world/world.ts'
import { ROLES } from '../rules/roles.ts'
import type { IdentityRules } from '../rules/rules.ts'
import { ensureAdminPassword, removeAdminPassword } from '../token-file.ts'
import { hashPassword } from './passwords.ts'

/** An id in the form that Keystone gives. */
export const newId = (): string => randomBytes(16).toString('hex')

/**
 * Gives a new store the roles, and an admin whose password is in the data directory. The file comes first: whatever
 * happens in between, the next start finds it and goes on from there.
 */
export async function firstStart(
  dataDir: string,
  { world, sequencer }: { readonly world: World; readonly sequencer: Sequencer<IdentityRules> },
): Promise<boolean> {
  if (world.identity.roles.size > 0) return false
  const { token: password, created } = await ensureAdminPassword(dataDir)
  const passwordHash = await hashPassword(password, { name: 'first start', isKnown: true })
  const roles = ROLES.map(name => ({ uuid: newId(), name }))
  const outcome = await sequencer.submit({ kind: 'identity:bootstrap', passwordHash, roles })
  const done = outcome.ok && outcome.answer
  // Another server on the same database was quicker, and has the password that counts.
  if (!done && created) await removeAdminPassword(dataDir)
  return done
}
