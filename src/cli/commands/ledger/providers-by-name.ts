import { NoBerthApi } from '../../../client/berth-api.ts'
import { isRefused } from '../../../client/http.ts'
import { inParallel } from '../../../client/in-parallel.ts'
import { encodeQuery, type Placement } from '../../../client/placement.ts'
import { normalizeUuid } from '../../../kernel/uuid.ts'
import type { NamedProvider } from '../../../wire/explanation.ts'
import type { Provider } from '../../../wire/openstack-placement.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { Session } from '../../connection/session.ts'

export const PROVIDER_ARGUMENT = 'The provider, by uuid or name.'

/** Finds a provider by uuid or name. */
export async function findProvider(placement: Placement, text: string): Promise<Provider> {
  const uuid = normalizeUuid(text)
  if (uuid !== null) {
    try {
      return await placement.provider(uuid)
    } catch (error) {
      // A name may look like a uuid.
      if (!isRefused(error, 404)) throw error
    }
  }
  const [found] = await placement.providers([['name', text]])
  if (found !== undefined) return found
  throw new Stopped(
    `there is no provider with the uuid or name ${text}: see 'berth provider list'`,
    exitCodes.missing,
  )
}

const REQUESTS_AT_ONCE = 8
/** Up to this many are requested one by one, whatever the server. */
const SINGLES_MAX = 8
/** Query strings are limited in length; this many uuids stay well below that. */
const UUIDS_PER_REQUEST = 500
/** For a server without /v1: beyond this, one list of all providers is cheaper. */
const SINGLES_ELSEWHERE_MAX = 256

/** The names of providers by uuid; for a deleted one, its uuid. */
export async function namesOf(
  session: Session,
  uuids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map([...uuids].map(uuid => [uuid, uuid]))
  const indexByName = async (providers: AsyncIterable<NamedProvider> | Iterable<NamedProvider>) => {
    for await (const { uuid, name } of providers) if (names.has(uuid)) names.set(uuid, name)
  }
  if (uuids.size > SINGLES_MAX)
    try {
      for (let from = 0; from < uuids.size; from += UUIDS_PER_REQUEST) {
        const some = [...uuids].slice(from, from + UUIDS_PER_REQUEST)
        await indexByName(session.berth.fleetProviders(encodeQuery(some.map(uuid => ['uuid', uuid]))))
      }
      return names
    } catch (error) {
      if (!(error instanceof NoBerthApi)) throw error
    }
  const placement = await session.placement()
  if (uuids.size > SINGLES_ELSEWHERE_MAX) await indexByName(await placement.providers())
  else
    await inParallel([...uuids], REQUESTS_AT_ONCE, async uuid => {
      names.set(uuid, await nameOf(placement, uuid))
    })
  return names
}

export async function nameOf(placement: Placement, uuid: string): Promise<string> {
  try {
    return (await placement.provider(uuid)).name
  } catch (error) {
    if (isRefused(error, 404)) return uuid
    throw error
  }
}
