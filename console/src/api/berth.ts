import type { Whoami } from '../../../src/wire/admin.ts'
import type { Attention } from '../../../src/wire/attention.ts'
import type { Consumer, FoundConsumer } from '../../../src/wire/consumers.ts'
import type { Explanation } from '../../../src/wire/explanation.ts'
import type { Host } from '../../../src/wire/hosts.ts'
import type { ServerFacts } from '../../../src/wire/server-facts.ts'
import type { ShadowDifferences, ShadowStatus } from '../../../src/wire/shadow.ts'
import { ask, askJson, Failure, pathOf, queryOf } from './http.ts'

export const readServer = (): Promise<ServerFacts> => askJson('/')

export const userNameOf = ({ user_id, user_name }: Whoami): string => user_name ?? user_id

/** Null: the token has no project. */
export const projectNameOf = ({ project_id, project_name }: Whoami): string | null =>
  project_name ?? project_id

export const readAttention = (): Promise<Attention> => askJson('/v1/attention?items=20')

/** Null: nothing of that uuid has allocations. */
export async function readConsumerFacts(uuid: string): Promise<Consumer | null> {
  try {
    return await askJson<Consumer>(pathOf`/v1/consumers/${uuid}`)
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return null
    throw error
  }
}

export const findConsumers = async (q: string): Promise<readonly FoundConsumer[]> =>
  (await askJson<{ consumers: FoundConsumer[] }>(`/v1/consumers${queryOf({ q, limit: 10 })}`)).consumers

export const readWhoami = (): Promise<Whoami> => askJson('/v1/whoami')

/** The owner of a token that is not in use yet. */
export const readOwner = (token: string): Promise<Whoami> =>
  askJson('/v1/whoami', { headers: { 'x-auth-token': token } })

const HOSTS_AT_ONCE = 10_000

/** Reads all pages. */
export async function readHosts(): Promise<Host[]> {
  const all: Host[] = []
  for (;;) {
    const after = all.at(-1)?.name
    const page = await askJson<{ hosts: Host[]; truncated: boolean }>(
      `/v1/hosts${queryOf({ limit: HOSTS_AT_ONCE, after })}`,
    )
    all.push(...page.hosts)
    if (!page.truncated) return all
  }
}

export const setHost = (name: string, settings: Readonly<Record<string, unknown>>): Promise<unknown> =>
  askJson(`/v1/hosts/${encodeURIComponent(name)}`, {
    method: 'PUT',
    body: settings,
    headers: { 'idempotency-key': crypto.randomUUID() },
  })

export const openFleet = (signal: AbortSignal): Promise<Response> =>
  ask('/v1/fleet', { signal, headers: { accept: 'application/x-ndjson' } })

export const openChanges = (since: string, signal: AbortSignal): Promise<Response> =>
  ask('/v1/changes', { signal, headers: { accept: 'text/event-stream', 'last-event-id': since } })

export const explainCandidates = (query: string): Promise<Explanation> =>
  askJson(`/v1/explain/allocation_candidates?${query}`)

export const readShadow = (): Promise<ShadowStatus> => askJson('/v1/shadow')

export const readShadowDifferences = (): Promise<ShadowDifferences> =>
  askJson('/v1/shadow/differences?known=true')
