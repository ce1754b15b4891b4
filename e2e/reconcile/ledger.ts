/** Berth's ledger through the Placement API, for tests that damage it. */
import assert from 'node:assert/strict'
import type { BuiltBerth } from '../../scripts/built-berth.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Answer = any

export type Amounts = Readonly<Record<string, number>>
export type Allocations = Readonly<Record<string, { readonly resources: Amounts }>>

const UNTYPED = '1.37'
const NEWEST = '1.39'

export class LedgerApi {
  readonly #berth: BuiltBerth

  constructor(berth: BuiltBerth) {
    this.#berth = berth
  }

  async ask(method: string, path: string, body?: unknown, version = NEWEST): Promise<Answer> {
    const answer = await fetch(`${this.#berth.url}/placement${path}`, {
      method,
      headers: {
        'x-auth-token': this.#berth.token,
        'openstack-api-version': `placement ${version}`,
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  async uuidOf(name: string): Promise<string> {
    const { resource_providers } = await this.ask('GET', `/resource_providers?name=${name}`)
    assert.equal(resource_providers.length, 1, `providers named ${name}`)
    return resource_providers[0].uuid
  }

  async allocationsOf(consumer: string): Promise<Allocations> {
    return (await this.ask('GET', `/allocations/${consumer}`)).allocations
  }

  /** Replaces what a consumer holds, and its owner where one is given. */
  async hold(consumer: string, allocations: Allocations, owner: object = {}): Promise<void> {
    const now = await this.ask('GET', `/allocations/${consumer}`, undefined, UNTYPED)
    const kept = {
      project_id: now.project_id ?? 'demo',
      user_id: now.user_id ?? 'admin',
      consumer_generation: now.consumer_generation ?? null,
    }
    const version = 'consumer_type' in owner ? NEWEST : UNTYPED
    const plain = Object.fromEntries(
      Object.entries(allocations).map(([uuid, { resources }]) => [uuid, { resources }]),
    )
    await this.ask('PUT', `/allocations/${consumer}`, { allocations: plain, ...kept, ...owner }, version)
  }

  release(consumer: string): Promise<void> {
    return this.ask('DELETE', `/allocations/${consumer}`)
  }

  async makeProvider(name: string, parts: ProviderParts, parent?: string): Promise<string> {
    const body = { name, ...(parent === undefined ? {} : { parent_provider_uuid: parent }) }
    const { uuid } = await this.ask('POST', '/resource_providers', body)
    await this.change(uuid, 'inventories', () => parts.inventories)
    await this.change(uuid, 'traits', () => parts.traits ?? [])
    await this.change(uuid, 'aggregates', () => parts.aggregates ?? [])
    return uuid
  }

  /** Reads a part of a provider and writes it changed. */
  async change(uuid: string, part: keyof ProviderParts, change: (now: Answer) => unknown): Promise<void> {
    const path = `/resource_providers/${uuid}/${part}`
    const now = await this.ask('GET', path)
    const { resource_provider_generation } = now
    await this.ask('PUT', path, { [part]: change(now[part]), resource_provider_generation })
  }

  /** Writes past the API, with generations as given. */
  async import(line: object): Promise<void> {
    const answer = await fetch(`${this.#berth.url}/v1/import?exact_generations=true`, {
      method: 'POST',
      headers: { 'x-auth-token': this.#berth.token, 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(line)}\n`,
    })
    assert.ok(answer.ok, await answer.text())
  }

  /** Providers and consumers by uuid, without generations. */
  async everything(): Promise<Record<string, Answer>> {
    const answer = await fetch(`${this.#berth.url}/v1/export`, {
      headers: { 'x-auth-token': this.#berth.token },
    })
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Answer)
    return Object.fromEntries(
      lines.flatMap(line => {
        const { generation: _, ...one } = line.provider ?? line.consumer ?? {}
        return one.uuid === undefined ? [] : [[one.uuid, one]]
      }),
    )
  }
}

interface ProviderParts {
  readonly inventories: Readonly<Record<string, { readonly total: number }>>
  readonly traits?: readonly string[]
  readonly aggregates?: readonly string[]
}
