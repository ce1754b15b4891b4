/** The part of Nova's API that the tests of the plug-in need. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BuiltBerth } from '../../scripts/built-berth.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of Nova
type Answer = any

const ZONE_PREFIX = 'case-zone'
const IMAGE = '11111111-1111-4111-8111-111111111111'
const SETTLE_MS = 180_000
const EXPLAIN_MS = 20_000
const BERTH = fileURLToPath(new URL('../../bin/berth', import.meta.url))
const STAGE_LINE = /^\S+Z {2}\S/
const execFileAsync = promisify(execFile)

interface Aggregate {
  readonly id: number
  readonly host: string
}

export class Nova {
  readonly hosts: readonly string[]
  readonly url: string
  readonly #berth: BuiltBerth
  #flavors = 0
  #hasShown = false

  constructor(url: string, hosts: readonly string[], berth: BuiltBerth) {
    this.url = url
    this.hosts = hosts
    this.#berth = berth
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'x-auth-token': 'admin:demo',
        'openstack-api-version': 'compute 2.93',
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }

  async askBerth(path: string): Promise<Answer> {
    const answer = await fetch(`${this.#berth.url}${path}`, {
      headers: { 'x-auth-token': this.#berth.token },
    })
    assert.equal(answer.status, 200, path)
    return answer.json()
  }

  /** A fresh scheduler answers only after its first boot. */
  async waitForScheduler(): Promise<void> {
    await sleep(3_000)
    const [server] = await this.settle([await this.boot(await this.makeFlavor({}))])
    await this.remove([server.id])
  }

  async makeFlavor(extraSpecs: Readonly<Record<string, string>>, vcpus = 1): Promise<string> {
    const name = `plugin-${process.pid}-${this.#flavors++}`
    await this.ask('POST', '/flavors', { flavor: { id: name, name, vcpus, ram: 64, disk: 1 } })
    if (Object.keys(extraSpecs).length > 0)
      await this.ask('POST', `/flavors/${name}/os-extra_specs`, { extra_specs: extraSpecs })
    return name
  }

  async boot(flavor: string, more: object = {}, hints: object = {}): Promise<string> {
    const server = { name: flavor, flavorRef: flavor, imageRef: IMAGE, networks: 'none', ...more }
    const answer = await this.ask('POST', '/servers', { server, 'os:scheduler_hints': hints })
    return answer.server.id
  }

  /** Waits until no server is being built. */
  async settle(ids: readonly string[]): Promise<Answer[]> {
    const untilMs = Date.now() + SETTLE_MS
    for (;;) {
      const found = await Promise.all(ids.map(async id => (await this.ask('GET', `/servers/${id}`)).server))
      if (found.every(({ status }) => status !== 'BUILD')) return found
      assert.ok(Date.now() < untilMs, 'the servers do not settle')
      await sleep(500)
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.ask('DELETE', `/servers/${id}`)
    const untilMs = Date.now() + SETTLE_MS
    while (
      (await this.ask('GET', '/servers?all_tenants=1&limit=1000')).servers.some(({ id }: Answer) =>
        ids.includes(id),
      )
    ) {
      assert.ok(Date.now() < untilMs, 'the servers are not deleted')
      await sleep(300)
    }
  }

  /** One host in each, and a zone, so that a boot can be sent there. */
  async makeAggregates(metadata: readonly Readonly<Record<string, string>>[]): Promise<Aggregate[]> {
    return Promise.all(
      metadata.map(async (given, at) => {
        const host = this.hosts[at] as string
        const { aggregate } = await this.ask('POST', '/os-aggregates', {
          aggregate: { name: `${ZONE_PREFIX}-${at}`, availability_zone: `${ZONE_PREFIX}-${at}` },
        })
        if (Object.keys(given).length > 0)
          await this.ask('POST', `/os-aggregates/${aggregate.id}/action`, {
            set_metadata: { metadata: given },
          })
        await this.ask('POST', `/os-aggregates/${aggregate.id}/action`, { add_host: { host } })
        return { id: aggregate.id, host }
      }),
    )
  }

  async removeAggregates(aggregates: readonly Aggregate[]): Promise<void> {
    for (const { id, host } of aggregates) {
      await this.ask('POST', `/os-aggregates/${id}/action`, { remove_host: { host } })
      await this.ask('DELETE', `/os-aggregates/${id}`)
    }
  }

  /** Boots one server in the zone of each aggregate; the indexes of those that landed. Every failure is explained by its request id. */
  async findHostsFor(
    specs: Readonly<Record<string, string>>,
    aggregates: readonly Aggregate[],
  ): Promise<number[]> {
    const flavor = await this.makeFlavor(specs)
    const ids = await Promise.all(
      aggregates.map((_, at) => this.boot(flavor, { availability_zone: `${ZONE_PREFIX}-${at}` })),
    )
    const servers = await this.settle(ids)
    for (const [at, server] of servers.entries()) {
      if (server.status === 'ACTIVE')
        assert.equal(
          server['OS-EXT-SRV-ATTR:host'],
          aggregates[at]?.host,
          'a server landed outside of its zone',
        )
      else await this.#checkExplained(server.id)
    }
    await this.remove(ids)
    return servers.flatMap(({ status }, at) => (status === 'ACTIVE' ? [at] : []))
  }

  /** The id that `openstack server event list` prints. */
  async findRequestId(server: string): Promise<string> {
    const { instanceActions } = await this.ask('GET', `/servers/${server}/os-instance-actions`)
    return instanceActions.find(({ action }: Answer) => action === 'create').request_id
  }

  /** The output of `berth explain`, once it has this many stages: rows are written after the answers. */
  async explain(about: readonly string[], stages: number): Promise<string> {
    const untilMs = Date.now() + EXPLAIN_MS
    for (;;) {
      const args = ['explain', ...about, '--url', this.#berth.url, '--token', this.#berth.token]
      const { stdout } = await execFileAsync(BERTH, args).catch(({ stdout }: Answer) => ({ stdout }))
      if (stdout.split('\n').filter((line: string) => STAGE_LINE.test(line)).length >= stages) return stdout
      assert.ok(Date.now() < untilMs, `${about.join(' ')} has fewer than ${stages} stages: ${stdout}`)
      await sleep(500)
    }
  }

  /** Finds the decision of Berth by the request id that `openstack server event list` prints. */
  async #checkExplained(server: string): Promise<void> {
    const id = await this.findRequestId(server)
    const explained = await this.explain([id], 2)
    for (const part of [
      'Placement was asked: passed',
      'The filters of Berth: refused',
      'AggregateInstanceTypeFilter, 1 host: ',
      'would help:\n  For ',
    ])
      assert.ok(explained.includes(part), explained)
    if (!this.#hasShown) console.log(explained)
    this.#hasShown = true
    const { decisions } = await this.askBerth(`/v1/decisions?request_id=${id}`)
    assert.equal(decisions.length, 1, `${id} has ${decisions.length} decisions`)
    assert.equal(decisions[0].outcome, 'refused')
    assert.match(decisions[0].reason, /AggregateInstanceTypeFilter removed 1/)
  }
}
