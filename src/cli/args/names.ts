import type { IdentityApi } from '../../client/identity.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import type { FoundConsumer } from '../../wire/consumers.ts'
import { findAggregate } from '../commands/compute/host-aggregate.ts'
import { findShare } from '../commands/shares/share.ts'
import { Stopped } from '../connection/client-failures.ts'
import { exitCodes } from '../connection/exit-codes.ts'
import type { Session } from '../connection/session.ts'

// Names on the command line for things that the APIs know only by id. Ids are not looked up: they may belong
// to something that was deleted, or that another service stores.

/** `rack-1`, `in:rack-1,rack-2`, `!rack-1`: a value of `member_of`, with host aggregates by name. Only `in:` begins a list. */
export async function memberOfValue(session: Session, text: string): Promise<string> {
  const [, operator = '', list = ''] = /^(!?(?:in:)?)(.*)$/s.exec(text) ?? []
  const names = operator.endsWith('in:') ? list.split(',') : [list]
  return operator + (await aggregateUuids(session, names)).join(',')
}

export async function aggregateUuids(session: Session, names: readonly string[]): Promise<string[]> {
  if (names.every(name => isUuidLike(name))) return [...names]
  const compute = await session.compute()
  return Promise.all(
    names.map(async name => (isUuidLike(name) ? name : (await findAggregate(compute, name)).uuid)),
  )
}

export async function serverGroupId(session: Session, text: string): Promise<string> {
  if (isUuidLike(text)) return text
  const named = (await (await session.compute()).serverGroups()).filter(({ name }) => name === text)
  if (named.length > 1)
    throw new Stopped(`${named.length} server groups are named ${text}: use an id`, exitCodes.invalid)
  return named[0]?.id ?? failMissing('server group', text)
}

const SERVERS_NAMED_MAX = 5

/** Several servers may have one name. A deleted one has only its uuid. */
export async function serverId(session: Session, text: string): Promise<string> {
  if (isUuidLike(text)) return text
  const { consumers } = await session.berth.findConsumers(text)
  const found = consumers.filter(({ name, uuid }) => name === text || uuid === text)
  if (found.length === 1) return (found[0] as FoundConsumer).uuid
  const list = (some: readonly string[]) =>
    some.slice(0, SERVERS_NAMED_MAX).join(', ') + (some.length > SERVERS_NAMED_MAX ? ' ...' : '')
  if (found.length > 1)
    throw new Stopped(
      `${found.length} servers are named ${text}, use a uuid: ${list(found.map(({ uuid }) => uuid))}`,
      exitCodes.invalid,
    )
  const near = list(consumers.map(({ uuid, name }) => name ?? uuid).sort())
  throw new Stopped(`there is no server ${text}${near === '' ? '' : `; similar: ${near}`}`, exitCodes.missing)
}

/** A deleted share still has an id. */
export async function shareId(session: Session, text: string): Promise<string> {
  return isUuidLike(text) ? text : (await findShare(await session.shares(), text)).id
}

export const projectId = (session: Session, text: string): Promise<string> =>
  identityId(session, text, 'project', identity => identity.projects())

export const userId = (session: Session, text: string): Promise<string> =>
  identityId(session, text, 'user', identity => identity.users())

async function identityId(
  session: Session,
  text: string,
  kind: 'project' | 'user',
  list: (identity: IdentityApi) => Promise<readonly { readonly id: string; readonly name: string }[]>,
): Promise<string> {
  const identity = await session.identityIfAny()
  // Otherwise another service knows the names.
  if (identity === null || isUuidLike(text)) return text
  const all = await list(identity)
  const found = all.find(one => one.name === text) ?? all.find(one => one.id === text)
  return found?.id ?? failMissing(kind, text)
}

function failMissing(kind: string, text: string): never {
  throw new Stopped(`there is no ${kind} ${text}`, exitCodes.missing)
}
