/** A server with the compute API, for tests that choose the microversion. */
import { expect } from 'vitest'
import { type Answer, Berth } from '../../test/running-berth.ts'

export class ComputeClient {
  readonly berth: Berth

  private constructor(berth: Berth) {
    this.berth = berth
  }

  static async start(overrides: Parameters<typeof Berth.start>[0] = {}): Promise<ComputeClient> {
    return new ComputeClient(await Berth.start(overrides))
  }

  /** `minor` is that of the version; null sends no header. */
  async ask(
    method: string,
    path: string,
    {
      minor = null,
      body,
      token = 'admin',
      headers = {},
    }: {
      readonly minor?: number | null
      readonly body?: unknown
      readonly token?: string
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ): Promise<Answer> {
    const answer = await fetch(`${this.berth.server.url}/compute${path}`, {
      method,
      headers: {
        'x-auth-token': token,
        ...(minor === null ? {} : { 'openstack-api-version': `compute 2.${minor}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null }
  }

  get(path: string, minor: number | null = null, token = 'admin'): Promise<Answer> {
    return this.ask('GET', `/v2.1${path}`, { minor, token })
  }

  post(path: string, body: unknown, minor: number | null = null, token = 'admin'): Promise<Answer> {
    return this.ask('POST', `/v2.1${path}`, { minor, body, token })
  }

  put(path: string, body: unknown, minor: number | null = null): Promise<Answer> {
    return this.ask('PUT', `/v2.1${path}`, { minor, body })
  }

  delete(path: string, minor: number | null = null): Promise<Answer> {
    return this.ask('DELETE', `/v2.1${path}`, { minor })
  }

  /** A root provider in Placement, with an inventory of one class. */
  async provider(name: string, uuid: string, resourceClass: string | null = 'VCPU'): Promise<void> {
    const made = await this.berth.ask('POST', '/resource_providers', { minor: 20, body: { name, uuid } })
    expect(made.status).toBe(200)
    if (resourceClass === null) return
    const body = { resource_provider_generation: 0, inventories: { [resourceClass]: { total: 8 } } }
    const set = await this.berth.ask('PUT', `/resource_providers/${uuid}/inventories`, { minor: 20, body })
    expect(set.status).toBe(200)
  }

  /** Sets the allocations of a consumer on a provider. */
  async claim(consumer: string, provider: string, amount = 1): Promise<void> {
    const body = {
      allocations: { [provider]: { resources: { VCPU: amount } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
    }
    const claimed = await this.berth.ask('PUT', `/allocations/${consumer}`, { minor: 28, body })
    expect(claimed.status).toBe(204)
  }
}
