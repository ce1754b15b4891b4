import type {
  CandidatesAnswer,
  Explanation,
  FleetProvider,
  Inventory,
  RecordedChange,
} from '../../../src/client/shapes.ts'
import { ask, askJson, queryOf } from './http.ts'

export type { CandidatesAnswer, Explanation, FleetProvider, Inventory, RecordedChange }

/** What `/` tells everybody. */
export interface ServerFacts {
  readonly version: string
  readonly auth: string
  readonly services: readonly {
    readonly name: string
    readonly path: string
    readonly min_version?: string
    readonly max_version?: string
  }[]
}

export const readServer = (): Promise<ServerFacts> => askJson('/')

export interface Whoami {
  readonly user_id: string
  readonly user_name: string | null
  readonly project_id: string | null
  readonly project_name: string | null
  readonly roles: readonly string[]
  readonly system_scope: boolean
  readonly allowed: readonly string[]
}

export const userNameOf = ({ user_id, user_name }: Whoami): string => user_name ?? user_id

/** Null: the token is of no project. */
export const projectNameOf = ({ project_id, project_name }: Whoami): string | null =>
  project_name ?? project_id

export const readWhoami = (): Promise<Whoami> => askJson('/v1/whoami')

/** Whom a token stands for that nobody uses yet. */
export const readOwner = (token: string): Promise<Whoami> =>
  askJson('/v1/whoami', { headers: { 'x-auth-token': token } })

export interface Host {
  readonly name: string
  readonly uuid: string
  readonly zone: string
  readonly status: 'enabled' | 'disabled'
  readonly disabled_reason: string | null
  readonly state: 'up' | 'down'
  readonly aggregates: readonly string[]
}

const HOSTS_AT_ONCE = 10_000

/** All of them: pages are put together. */
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
