import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { FakeCloud } from '../../../openstack/cloud/fake-cloud.fixture.ts'
import { SmallCloud, uuidOf } from '../../../openstack/pull/small-cloud.fixture.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { run } from '../run.fixture.ts'

/** A server, a cloud that it can pull, and a ledger with two of the cloud's computes. */
export class PullableCloud {
  readonly berth: Berth
  readonly fake: FakeCloud
  readonly small: SmallCloud
  readonly #directory: string

  private constructor(berth: Berth, fake: FakeCloud, directory: string) {
    this.berth = berth
    this.fake = fake
    this.small = new SmallCloud(fake)
    this.#directory = directory
  }

  static async start(): Promise<PullableCloud> {
    const fake = await FakeCloud.start()
    const directory = await mkdtemp(join(tmpdir(), 'pull-'))
    const auth = `{auth_url: "${fake.url}/identity", username: berth, password: sesame, project_name: admin}`
    await writeFile(join(directory, 'clouds.yaml'), `clouds: {prod: {region_name: RegionOne, auth: ${auth}}}`)
    const cloud = new PullableCloud(await Berth.start(), fake, directory)
    for (const nth of [1, 2]) await cloud.#addCompute(nth)
    return cloud
  }

  async end(): Promise<void> {
    await this.berth.end()
    await this.fake.end()
    await rm(this.#directory, { recursive: true })
  }

  async #addCompute(nth: number): Promise<void> {
    await this.berth.ask('POST', '/resource_providers', {
      minor: 39,
      body: { name: `cn${nth}.example.org`, uuid: uuidOf(nth) },
    })
    const VCPU = { total: 8 }
    const body = { resource_provider_generation: 0, inventories: { VCPU } }
    await this.berth.ask('PUT', `/resource_providers/${uuidOf(nth)}/inventories`, { minor: 39, body })
    await this.claim(100 + nth, nth)
  }

  async claim(consumer: number, provider: number): Promise<void> {
    const body = {
      allocations: { [uuidOf(provider)]: { resources: { VCPU: 2 } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    }
    const { status, text } = await this.berth.ask('PUT', `/allocations/${uuidOf(consumer)}`, {
      minor: 39,
      body,
    })
    expect(text).toBe('')
    expect(status).toBe(204)
  }

  environment(): FakeEnvironment {
    return new FakeEnvironment({ OS_CLIENT_CONFIG_FILE: join(this.#directory, 'clouds.yaml') })
  }

  args(...more: string[]): string[] {
    return ['pull', '--cloud', 'prod', '--url', this.berth.server.url, '--token', 'admin', ...more]
  }

  pull(...more: string[]) {
    return run(this.args(...more), { around: this.environment() })
  }

  async ask(method: string, path: string, body?: object) {
    const answer = await fetch(`${this.berth.server.url}${path}`, {
      method,
      headers: {
        'x-auth-token': 'admin',
        'content-type': 'application/json',
        'openstack-api-version': 'compute 2.93',
        'x-openstack-manila-api-version': '2.87',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, json: parse(text) }
  }
}

/** Glance answers errors as HTML. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every API
function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
