/** A whole run: workers that send, one that measures, and a result. */
import { Chance } from './chance.ts'
import type { Stretch, Usage } from './child.ts'
import { buildCloud, Sweeper } from './cloud.ts'
import { Ids } from './ids.ts'
import { faultOf } from './judge.ts'
import { nonsense } from './nonsense.ts'
import { type FuzzRequest, makeRequest } from './request.ts'
import { Admin, ROLE_NAMES, Roles } from './roles.ts'
import { everyRoute, type FuzzRoute } from './routes.ts'
import { chooseStyle, sendingOf } from './sending.ts'
import { FuzzedServer } from './server.ts'
import { type Outcome, type Sending, Wire, type WireAnswer } from './wire.ts'

interface RunOptions {
  readonly seed: number
  readonly requests: number
  readonly connections: number
  /** More CPU time than this in one turn of the event loop, for a request alone on the server, is a fault. */
  readonly stretchMsMax: number
  /** A pause after each request of a connection. */
  readonly pauseMs: number
  readonly say: (line: string) => void
}

interface RunResult {
  readonly sent: number
  readonly answers: ReadonlyMap<string, number>
  readonly faults: readonly string[]
}

/** A request that was in flight during a long turn of the event loop. */
interface Recorded {
  readonly name: string
  readonly sending: Sending
  readonly fromMs: number
  readonly toMs: number
}

const PARSE_MS_PER_MB = 10
const FAULTS_MAX = 50
const RECORDED_MAX = 4_000
const SUSPECTS_MAX = 40
const WINDOWS_MIN = 10
const WINDOW_REQUESTS_MAX = 20_000
/** Requests until every path ran once and code is compiled. */
const EARLY_WINDOW = 3
/** Growth that is allowed: tables of names, caches that fill up, uncollected garbage. */
const GROWTH_MB_MAX = 24
const GROWTH_RATIO_MAX = 1.25

export async function run(options: RunOptions): Promise<RunResult> {
  const server = await FuzzedServer.start()
  try {
    const admin = new Admin(server)
    await buildCloud(admin)
    const roles = await Roles.make(admin)
    const sweeper = new Sweeper(admin)
    await sweeper.remember()
    const campaign = new Campaign(options, server, roles, sweeper)
    await campaign.run()
    await campaign.finish(admin)
    return campaign
  } finally {
    server.remove()
  }
}

class Campaign implements RunResult {
  sent = 0
  readonly answers = new Map<string, number>()
  readonly faults: string[] = []
  readonly #options: RunOptions
  readonly #server: FuzzedServer
  readonly #roles: Roles
  readonly #sweeper: Sweeper
  readonly #routes: readonly FuzzRoute[] = everyRoute()
  readonly #weights = this.#routes.reduce((sum, { weight }) => sum + weight, 0)
  readonly #perService = new Map<string, Map<number, number>>()
  readonly #recorded: Recorded[] = []
  readonly #suspects = new Map<string, Recorded>()
  #early: Usage | null = null
  #longest = 0
  #stretches = 0
  #lastStretches: readonly Stretch[] = []

  constructor(options: RunOptions, server: FuzzedServer, roles: Roles, sweeper: Sweeper) {
    this.#options = options
    this.#server = server
    this.#roles = roles
    this.#sweeper = sweeper
  }

  async run(): Promise<void> {
    const { seed, connections, requests, say } = this.#options
    // Shared, so that workers use what others created.
    const ids = new Ids(new Chance(seed))
    await this.#sweeper.teach(ids)
    await this.#server.measure({ collect: true })
    const workers = Array.from({ length: connections }, (_, nth) => {
      const chance = new Chance(seed * 1_000 + nth)
      return { chance, ids, wire: new Wire(this.#server.url), nth }
    })
    const windows = Math.max(WINDOWS_MIN, Math.ceil(requests / WINDOW_REQUESTS_MAX))
    for (let window = 1; window <= windows && !this.#isOver; window++) {
      const until = Math.round((requests * window) / windows)
      await Promise.all(workers.map(worker => this.#work(worker, until)))
      if (this.#server.hasEnded) return
      await this.#look()
      await this.#sweeper.sweep()
      await this.#sweeper.teach(ids)
      const usage = await this.#server.measure({ collect: true })
      if (window === EARLY_WINDOW) this.#early = usage
      say(this.#progress(usage))
      if (window === windows) this.#judgeMemory(usage)
    }
    for (const { wire } of workers) wire.close()
  }

  #progress({ heapMb, outsideHeapMb }: Usage): string {
    return (
      `${this.sent} requests in ${Math.round(performance.now() / 1_000)} s, ${this.faults.length} faults, ` +
      `heap ${heapMb.toFixed(1)} MB, outside of it ${outsideHeapMb.toFixed(1)} MB, ` +
      `${this.#stretches} turns above 50 ms of CPU time, the longest ${this.#longest.toFixed(0)} ms`
    )
  }

  /** Final checks: the server answers, its data are consistent, it stops, and the data on disk are consistent. */
  async finish(admin: Admin): Promise<void> {
    if (!this.#server.hasEnded) {
      await this.#replaySuspects()
      const ready = await admin.ask('GET', '/readyz')
      if (ready.status !== 200) this.#fault(`/readyz answers ${ready.status} at the end: ${ready.text}`)
      const verified = await admin.ask('POST', '/v1/verify')
      const { differences, problems } = verified.json ?? {}
      if (verified.status !== 200 || differences?.length !== 0 || problems?.length !== 0)
        this.#fault(`verify: ${verified.status} ${verified.text.slice(0, 1_000)}`)
      const report = await this.#server.stop()
      if (report === null) this.#fault('the server does not stop')
      else if (report.differences.length + report.problems.length > 0)
        this.#fault(`berth verify: ${JSON.stringify(report).slice(0, 1_000)}`)
    }
    for (const line of this.#server.errors) this.#fault(`log: ${line.slice(0, 2_000)}`)
    for (const [message, count] of this.#server.warnings)
      this.#options.say(`warning in the log, ${count} times: ${message}`)
    for (const [service, statuses] of this.#perService)
      this.#options.say(
        `${service}: ${[...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', ')}`,
      )
  }

  get #isOver(): boolean {
    return this.#server.hasEnded || this.faults.length >= FAULTS_MAX
  }

  async #work({ chance, ids, wire, nth }: Worker, until: number): Promise<void> {
    while (this.sent < until && !this.#isOver) {
      const request = this.#choose(chance, ids)
      if (chance.percent(3)) await this.#sendNonsense(chance, wire, request, nth)
      else await this.#sendRequest(chance, ids, wire, request, nth)
      if (this.#options.pauseMs > 0) await new Promise(resolve => setTimeout(resolve, this.#options.pauseMs))
    }
  }

  #choose(chance: Chance, ids: Ids): FuzzRequest {
    const route = chance.weighted(this.#routes, this.#weights)
    const role = chance.percent(50) ? 'admin' : chance.pick(ROLE_NAMES)
    return makeRequest(chance, route, this.#roles.get(role), ids)
  }

  async #sendRequest(chance: Chance, ids: Ids, wire: Wire, first: FuzzRequest, nth: number): Promise<void> {
    const style = chooseStyle(chance)
    const more =
      style === 'pipelined'
        ? Array.from({ length: 1 + chance.below(7) }, () => this.#choose(chance, ids))
        : []
    const requests = [first, ...more]
    this.sent += requests.length
    const sending = sendingOf(chance, style, requests)
    const name = `worker ${nth}, request ${this.sent}, ${style} ${requests.map(titleOf).join(' + ')}`
    const outcome = await this.#send(wire, sending, name)
    // After it, Node does not answer what it cannot parse.
    if (first.headers.some(([name]) => name === 'upgrade')) wire.close()
    if (style === 'aborted') return
    if (outcome.end !== 'answered')
      return this.#fault(`${endOf(outcome)}: ${name}\n${renderSending(sending)}`)
    for (const [at, answer] of outcome.answers.entries()) {
      const request = requests[at]
      if (request === undefined) return this.#fault(`an answer too many: ${name}\n${renderSending(sending)}`)
      this.#judge(request, answer, false, name, sending)
      this.#learn(ids, request, answer)
    }
  }

  async #sendNonsense(chance: Chance, wire: Wire, request: FuzzRequest, nth: number): Promise<void> {
    this.sent++
    wire.close()
    const sending = nonsense(chance, request)
    const name = `worker ${nth}, request ${this.sent}, nonsense`
    const outcome = await this.#send(wire, sending, name)
    if (outcome.end === 'silent' || outcome.end === 'unreadable')
      this.#fault(`${endOf(outcome)}: ${name}\n${renderSending(sending)}`)
    for (const answer of outcome.answers) this.#judge(request, answer, true, name, sending)
  }

  async #send(wire: Wire, sending: Sending, name: string): Promise<Outcome> {
    const fromMs = Date.now()
    const before = wire.last
    const outcome = await wire.send(sending)
    wire.last = `${name} ${renderSending(sending)}`
    if (outcome.end !== 'answered' && !sending.abort && !sending.untilClose)
      this.#options.say(`before: ${before}`)
    this.#recorded.push({ name, sending, fromMs, toMs: Date.now() })
    if (this.#recorded.length >= RECORDED_MAX) await this.#look()
    return outcome
  }

  /** Which requests were in flight in long turns of the event loop. Some of them ended only after the last look. */
  async #look(): Promise<void> {
    const recorded = this.#recorded.splice(0)
    const { stretches } = await this.#server.measure({ collect: false })
    this.#stretches += stretches.length
    for (const { cpuMs } of stretches) this.#longest = Math.max(this.#longest, cpuMs)
    for (const { fromMs, toMs } of [...this.#lastStretches, ...stretches])
      for (const one of recorded)
        if (
          one.fromMs <= toMs &&
          one.toMs >= fromMs &&
          this.#suspects.size < SUSPECTS_MAX &&
          !one.sending.untilClose
        )
          this.#suspects.set(one.name, one)
    this.#lastStretches = stretches
  }

  /** Repeats each alone, several times: garbage collection and other requests do not recur. */
  async #replaySuspects(): Promise<void> {
    const wire = new Wire(this.#server.url)
    for (const { name, sending } of this.#suspects.values()) {
      if (sending.abort) continue
      let least = Number.POSITIVE_INFINITY
      for (let round = 0; round < 4 && least > this.#options.stretchMsMax; round++) {
        await this.#server.measure({ collect: true })
        await wire.send(sending)
        const { stretches } = await this.#server.measure({ collect: false })
        least = Math.min(
          least,
          stretches.reduce((most, { cpuMs }) => Math.max(most, cpuMs), 0),
        )
      }
      // JSON is parsed in one turn, which takes its time with megabytes.
      const bytes = sending.pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (least > this.#options.stretchMsMax + (bytes / 1e6) * PARSE_MS_PER_MB)
        this.#fault(
          `${least.toFixed(0)} ms in one turn of the event loop: ${name}\n${renderSending(sending)}`,
        )
    }
    wire.close()
  }

  #judge(
    request: FuzzRequest,
    answer: WireAnswer,
    isNonsense: boolean,
    name: string,
    sending: Sending,
  ): void {
    const { route, target, headers } = request
    const service = isNonsense ? 'nonsense' : route.service
    const statuses = this.#perService.get(service) ?? new Map<number, number>()
    this.#perService.set(service, statuses)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const kind = `${Math.floor(answer.status / 100)}xx`
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1)
    const isBroken =
      isNonsense ||
      !target.startsWith(`/${route.service}/`) ||
      headers.length > 100 ||
      [400, 414, 431].includes(answer.status)
    const fault = faultOf({ answer, service: route.service, method: request.method, isBroken })
    if (fault !== null)
      this.#fault(`${fault}: ${name}\n${renderSending(sending)}\n${answer.body.toString('utf8', 0, 300)}`)
  }

  #learn(
    ids: Ids,
    { route, role, method, target, isPlain, uses, body }: FuzzRequest,
    answer: WireAnswer,
  ): void {
    if (answer.status === 401 && isPlain && route.path !== '/identity/v3/auth/tokens')
      void this.#roles.renew(role.name)
    if (answer.status === 404 && isPlain) for (const id of uses) ids.forget(id)
    if (answer.status >= 300 || answer.body.length > 200_000) return
    if (method === 'POST' && target.startsWith('/placement/resource_providers')) {
      const location = answer.headers.get('location') ?? ''
      ids.add('provider', location.slice(location.lastIndexOf('/') + 1))
    }
    const consumer = /^\/placement\/allocations\/([\w-]{36})/.exec(target)?.[1]
    if (method === 'PUT' && consumer !== undefined) ids.add('consumer', consumer)
    if (body !== null && route.path.startsWith('/image/')) learnName(ids, route, body)
    if (!/json/.test(answer.headers.get('content-type') ?? '') || answer.body.length === 0) return
    try {
      const json = JSON.parse(answer.body.toString('utf8'))
      ids.learn(method, target, json)
      if (route.path === '/v1/tokens' && method === 'POST') ids.add('token', json.id)
      for (const { instance } of json.servers ?? json.placements ?? []) ids.add('consumer', instance)
    } catch {
      // The judge has reported it.
    }
  }

  #judgeMemory(late: Usage): void {
    const early = this.#early as Usage
    for (const part of ['heapMb', 'outsideHeapMb'] as const)
      if (late[part] > early[part] * GROWTH_RATIO_MAX + GROWTH_MB_MAX)
        this.#fault(`${part} grew from ${early[part].toFixed(1)} to ${late[part].toFixed(1)}`)
  }

  #fault(text: string): void {
    if (this.faults.length >= FAULTS_MAX) return
    this.faults.push(text)
    this.#options.say(`FAULT ${text}`)
  }
}

interface Worker {
  readonly chance: Chance
  readonly ids: Ids
  readonly wire: Wire
  readonly nth: number
}

function learnName(ids: Ids, route: FuzzRoute, body: Buffer): void {
  const name = /"(?:name|namespace)":"([\w:.-]{1,80})"/.exec(body.toString('utf8', 0, 1_000))?.[1]
  for (const kind of ['tag', 'object', 'property'] as const)
    if (name !== undefined && route.path.includes(kind === 'property' ? 'properties' : `${kind}s`))
      ids.add(kind, name)
}

const endOf = ({ end, answers }: Outcome): string =>
  `${end} after ${answers.map(({ status }) => status).join(', ') || 'nothing'}`

const titleOf = ({ role, route }: FuzzRequest): string => `${role.name} ${route.method} ${route.path}`

const renderSending = ({ pieces }: Sending): string => {
  const text = JSON.stringify(Buffer.concat(pieces).toString('latin1'))
  return text.length > 1_500 ? `${text.slice(0, 1_500)}… (${text.length} characters)` : text
}
