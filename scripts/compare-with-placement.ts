/**
 * Sends the same random requests for allocation candidates to two services and reports differences.
 *
 *   node scripts/compare-with-placement.ts --left http://127.0.0.1:8778 --right http://127.0.0.1:18210
 *   node scripts/compare-with-placement.ts --left model --right http://127.0.0.1:18210
 *
 * Left is Berth, or the word `model` for test/candidate-model.ts; right is a real Placement (shared/bench/real has
 * scripts that start one). Both take the noauth2 token `admin`. Random clouds of test/clouds.ts are loaded into
 * both, so they must be empty otherwise: leftovers of earlier runs are removed, anything else is an error.
 *
 *   --clouds N       how many clouds (100)
 *   --queries N      how many requests at most for each cloud (60)
 *   --seed N         the seed (default: the clock)
 *   --minor-max N    the newest version to use (39; 40 is of use only between Berth and the model)
 *   --exact          the right one has none of Placement's bugs: compare everything
 *   --differences N  stop after this many; each is shrunk to a small cloud and one request (1)
 *
 * Requests that hit a known bug of Placement (the end of SURPRISES.md) are counted and not compared; see
 * `knownBug`. Which candidates a limit keeps is free, so they only have to be some of all.
 */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import type { CandidateRequest, RequestGroup } from '../src/placement/candidates/request.ts'
import {
  anchorsOf,
  canonicalText,
  modelCandidates,
  servingsOf,
  summariesOf,
} from '../test/candidate-model.ts'
import {
  behaviourOf,
  type Cloud,
  type CloudProvider,
  consumerUuid,
  KNOWN_CLASSES,
  KNOWN_TRAITS,
  PLACEMENT_MINORS,
  providerUuid,
  type Query,
  type Questionnaire,
  questionnaires,
  SHARING_TRAIT,
  usagesOf,
} from '../test/clouds.ts'

interface Answer {
  readonly status: number
  readonly candidates: readonly { readonly text: string; readonly givers: readonly string[] }[]
  /** Text of each summary by uuid. */
  readonly summaries: ReadonlyMap<string, string>
  /** The text of an error; shown, not compared. */
  readonly detail?: string
}

interface Subject {
  readonly name: string
  load(cloud: Cloud): Promise<void>
  ask(query: Query): Promise<Answer>
}

class ModelSubject implements Subject {
  readonly name = 'model'
  #cloud: Cloud = { providers: [] }

  async load(cloud: Cloud): Promise<void> {
    this.#cloud = cloud
  }

  async ask({ minor, request }: Query): Promise<Answer> {
    const cloud = this.#cloud
    const found = modelCandidates(cloud, request, behaviourOf(minor))
    if (found.kind === 'refused') {
      const detail = `${found.refusal.kind} ${found.refusal.name}`
      return { status: 400, candidates: [], summaries: new Map(), detail }
    }
    const candidates = [...found.candidates].map(([text, { uses }]) => ({
      text: minor >= 34 ? text : (text.split(' | ')[0] as string),
      givers: [...summariesOf(cloud, { nested: false, inTreeTouches: false }, [uses])],
    }))
    const kept = cloud.providers.filter(provider => found.summaries.has(provider.uuid))
    const summaries = kept.map((provider): [string, string] => [
      provider.uuid,
      summaryText(expectedSummary(cloud, provider, minor, request)),
    ])
    return { status: 200, candidates, summaries: new Map(summaries) }
  }
}

interface Summary {
  readonly resources: Record<string, { capacity: number; used: number }>
  readonly traits?: readonly string[]
  readonly parent_provider_uuid?: string | null
  readonly root_provider_uuid?: string
}

function expectedSummary(
  cloud: Cloud,
  provider: CloudProvider,
  minor: number,
  request: CandidateRequest,
): Summary {
  const asked = request.groups.flatMap(group => [...group.resources.keys()])
  const resources = Object.entries(provider.inventories)
    .filter(([className]) => minor >= 27 || asked.includes(className))
    .map(([className, { total, reserved, ratio, used }]) => {
      return [className, { capacity: Math.trunc((total - reserved) * ratio), used }]
    })
  let root = provider
  for (let above: CloudProvider | undefined = provider; above !== undefined; ) {
    root = above
    above = cloud.providers.find(other => other.uuid === root.parent)
  }
  return {
    resources: Object.fromEntries(resources),
    ...(minor >= 17 && { traits: provider.traits }),
    ...(minor >= 29 && { parent_provider_uuid: provider.parent, root_provider_uuid: root.uuid }),
  }
}

const summaryText = (summary: Summary): string =>
  JSON.stringify([
    Object.entries(summary.resources)
      .map(([name, { capacity, used }]) => `${name} ${used}/${capacity}`)
      .sort(),
    summary.traits?.toSorted() ?? null,
    summary.parent_provider_uuid,
    summary.root_provider_uuid,
  ])

interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers is looked at piece by piece
  readonly body: any
}

class HttpSubject implements Subject {
  readonly name: string
  #loaded: Cloud | null = null

  constructor(url: string) {
    this.name = url.replace(/\/$/, '')
  }

  async load(cloud: Cloud): Promise<void> {
    if (JSON.stringify(cloud) === JSON.stringify(this.#loaded)) return
    if (this.#loaded === null) await this.#prepare()
    await this.#clear()
    this.#loaded = cloud
    for (const provider of cloud.providers) await this.#create(provider)
    await this.#use(cloud)
  }

  async ask({ minor, request }: Query): Promise<Answer> {
    const { status, body } = await this.#send('GET', queryUrl(minor, request), undefined, minor)
    if (status !== 200)
      return {
        status,
        candidates: [],
        summaries: new Map(),
        detail: body?.errors?.[0]?.detail ?? String(body),
      }
    const summaries = Object.entries(body.provider_summaries as Record<string, Summary>)
    return {
      status,
      candidates: (body.allocation_requests as never[]).map(candidateOf),
      summaries: new Map(summaries.map(([uuid, summary]) => [uuid, summaryText(summary)])),
    }
  }

  async #prepare(): Promise<void> {
    for (const name of KNOWN_CLASSES)
      if (name.startsWith('CUSTOM_')) await this.#must('PUT', `/resource_classes/${name}`)
    for (const name of KNOWN_TRAITS)
      if (name.startsWith('CUSTOM_')) await this.#must('PUT', `/traits/${name}`)
  }

  /** Children first: repeats until all are gone. */
  async #clear(): Promise<void> {
    for (;;) {
      const { body } = await this.#must('GET', '/resource_providers')
      const uuids = (body.resource_providers as { uuid: string }[]).map(provider => provider.uuid)
      if (uuids.length === 0) return
      const foreign = uuids.find(uuid => uuid.slice(0, -4) !== providerUuid(0).slice(0, -4))
      if (foreign !== undefined) throw new Error(`${this.name} holds ${foreign}, which is not ours`)
      for (const uuid of uuids.toReversed()) {
        if ((await this.#send('DELETE', `/resource_providers/${uuid}`)).status !== 409) continue
        const held = await this.#must('GET', `/resource_providers/${uuid}/allocations`)
        for (const consumer of Object.keys(held.body.allocations))
          await this.#must('DELETE', `/allocations/${consumer}`)
      }
    }
  }

  async #create({ uuid, parent, traits, aggregates, inventories }: CloudProvider): Promise<void> {
    const created = {
      uuid,
      name: `p${uuid.slice(-2)}`,
      ...(parent !== null && { parent_provider_uuid: parent }),
    }
    await this.#must('POST', '/resource_providers', created)
    const path = `/resource_providers/${uuid}`
    let generation = 0
    const put = async (what: string, body: object) => {
      const replied = await this.#must('PUT', `${path}/${what}`, {
        ...body,
        resource_provider_generation: generation,
      })
      generation = replied.body.resource_provider_generation
    }
    if (traits.length > 0) await put('traits', { traits })
    if (aggregates.length > 0) await put('aggregates', { aggregates })
    const records = Object.entries(inventories).map(([name, inventory]) => [name, inventoryBody(inventory)])
    if (records.length > 0) await put('inventories', { inventories: Object.fromEntries(records) })
  }

  /** Usage may be more than the inventory allows: use while there is room, then shrink. */
  async #use(cloud: Cloud): Promise<void> {
    let number = 0
    for (const { provider, className, used } of usagesOf(cloud)) {
      const path = `/resource_providers/${provider.uuid}/inventories/${className}`
      const inventory = provider.inventories[className] as CloudProvider['inventories'][string]
      const { body } = await this.#must('GET', path)
      let resource_provider_generation = body.resource_provider_generation
      await this.#must('PUT', path, { total: used, resource_provider_generation })
      await this.#must('PUT', `/allocations/${consumerUuid(number++)}`, {
        allocations: { [provider.uuid]: { resources: { [className]: used } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      })
      resource_provider_generation += 2
      await this.#must('PUT', path, { ...inventoryBody(inventory), resource_provider_generation })
    }
  }

  async #must(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await this.#send(method, path, body)
    if (reply.status >= 300)
      throw new Error(`${this.name} ${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply
  }

  async #send(method: string, path: string, body?: object, minor = 39): Promise<Reply> {
    const response = await fetch(this.name + path, {
      method,
      headers: {
        'x-auth-token': 'admin',
        'openstack-api-version': `placement 1.${minor}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
}

const inventoryBody = (inventory: CloudProvider['inventories'][string]) => ({
  total: inventory.total,
  reserved: inventory.reserved,
  min_unit: inventory.minUnit,
  max_unit: inventory.maxUnit,
  step_size: inventory.stepSize,
  allocation_ratio: inventory.ratio,
})

type Amounts = Record<string, number>
interface AllocationRequest {
  readonly allocations:
    | Record<string, { resources: Amounts }>
    | { resource_provider: { uuid: string }; resources: Amounts }[]
  readonly mappings?: Record<string, string[]>
}

function candidateOf({ allocations, mappings }: AllocationRequest): Answer['candidates'][number] {
  const pairs = Array.isArray(allocations)
    ? allocations.map((each): [string, Amounts] => [each.resource_provider.uuid, each.resources])
    : Object.entries(allocations).map(([uuid, { resources }]): [string, Amounts] => [uuid, resources])
  const resources = new Map(pairs.map(([uuid, amounts]) => [uuid, new Map(Object.entries(amounts))]))
  const text = canonicalText(resources, mappings ? new Map(Object.entries(mappings)) : null)
  return { text, givers: [...resources.keys()] }
}

function queryUrl(minor: number, request: CandidateRequest): string {
  const parameters = request.groups.flatMap(group => groupParameters(minor, group))
  const add = (key: string, value: string | number) => parameters.push([key, String(value)])
  if (request.groupPolicy !== null) add('group_policy', request.groupPolicy)
  const roots = [...request.rootRequired.flat(), ...request.rootForbidden.map(name => `!${name}`)]
  if (roots.length > 0) add('root_required', roots.join(','))
  for (const suffixes of request.sameSubtrees) add('same_subtree', suffixes.join(','))
  if (request.limit !== null) add('limit', request.limit)
  return `/allocation_candidates?${parameters.map(([key, value]) => `${key}=${value}`).join('&')}`
}

function groupParameters(minor: number, group: RequestGroup): string[][] {
  const parameters: string[][] = []
  const add = (key: string, value: string) => parameters.push([`${key}${group.suffix}`, value])
  if (group.resources.size > 0)
    add('resources', [...group.resources].map(([name, amount]) => `${name}:${amount}`).join(','))
  const forbidden = group.forbidden.map(name => `!${name}`)
  if (minor >= 39) {
    for (const names of group.required)
      add('required', names.length > 1 ? `in:${names.join(',')}` : (names[0] as string))
    if (forbidden.length > 0) add('required', forbidden.join(','))
  } else if (group.required.length + forbidden.length > 0)
    add('required', [...group.required.flat(), ...forbidden].join(','))
  const oneOrIn = (uuids: readonly string[]) => (uuids.length > 1 ? `in:${uuids.join(',')}` : uuids[0])
  for (const uuids of group.memberOf) add('member_of', oneOrIn(uuids) as string)
  if (group.forbiddenAggregates.length > 0) add('member_of', `!${oneOrIn(group.forbiddenAggregates)}`)
  if (group.inTree !== null) add('in_tree', group.inTree)
  return parameters
}

/** Why Placement's answer to this request is known to be wrong. */
function knownBug(cloud: Cloud, { minor, request }: Query, status: number): string | null {
  const isSharingChild = (each: CloudProvider) => each.parent !== null && each.traits.includes(SHARING_TRAIT)
  if (status === 500 && cloud.providers.some(isSharingChild)) return 'a sharing child answers 500'

  const unsuffixed = request.groups.find(group => group.suffix === '')
  const suffixed = request.groups.filter(group => group.suffix !== '')
  if (unsuffixed === undefined || suffixed.length === 0) return null
  const classes = suffixed.flatMap(group => [...group.resources.keys()])
  if (request.groupPolicy !== 'none' && classes.some(name => unsuffixed.resources.has(name)))
    return 'amounts are added in shared objects'

  const servings = anchorsOf(cloud, request).flatMap(anchor =>
    servingsOf(cloud, unsuffixed, anchor, behaviourOf(minor)).map(uses =>
      uses.map(use => use.provider.uuid).join(' '),
    ),
  )
  if (new Set(servings).size < servings.length) return 'only one anchor of a sharing provider survives'
  return null
}

/** The difference, or null. */
function difference(left: Answer, right: Answer): string | null {
  if (left.status !== right.status)
    return `status ${left.status} and ${right.status}: ${left.detail ?? ''} ${right.detail ?? ''}`
  const texts = (answer: Answer) => answer.candidates.map(({ text }) => text).sort()
  const shows = (answer: Answer) => [...answer.summaries].map(([uuid, text]) => `${uuid} ${text}`).sort()
  return (
    listDifference('candidates', texts(left), texts(right)) ??
    listDifference('summaries', shows(left), shows(right))
  )
}

function listDifference(what: string, left: readonly string[], right: readonly string[]): string | null {
  const minus = (some: readonly string[], others: readonly string[]) => {
    const rest = [...others]
    return some.filter(text => {
      const at = rest.indexOf(text)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
  }
  const [onlyLeft, onlyRight] = [minus(left, right), minus(right, left)]
  if (onlyLeft.length + onlyRight.length === 0) return null
  const show = (side: string, texts: string[]) => texts.map(text => `    only ${side}: ${text}`)
  return [
    `${what}: ${left.length} and ${right.length}`,
    ...show('left', onlyLeft),
    ...show('right', onlyRight),
  ].join('\n')
}

/** Whether an answer with a limit is a valid part of the answer without. */
function limitDifference(all: Answer, some: Answer, { minor, request }: Query): string | null {
  if (all.status !== some.status) return `with a limit ${some.status}, without ${all.status}`
  const due = Math.min(request.limit as number, all.candidates.length)
  if (some.candidates.length !== due) return `with a limit ${some.candidates.length} of ${due}`
  const texts = all.candidates.map(({ text }) => text)
  const strange = some.candidates.find(({ text }) => !texts.includes(text))
  if (strange !== undefined) return `only with a limit: ${strange.text}`
  const rootOf = (uuid: string) => JSON.parse(all.summaries.get(uuid) as string)[3] ?? uuid
  const givers = some.candidates.flatMap(candidate => candidate.givers)
  const trees = new Set(givers.map(rootOf))
  const expected = [...all.summaries.keys()].filter(uuid => trees.has(rootOf(uuid)))
  // Without trees a limit may or may not hide providers that only other candidates use.
  const missing = (minor >= 29 ? expected : givers).filter(uuid => !some.summaries.has(uuid))
  if (missing.length > 0) return `summaries missing with a limit: ${missing.join(' ')}`
  const extra = [...some.summaries.keys()].filter(uuid => minor >= 29 && !expected.includes(uuid))
  return extra.length > 0 ? `summaries too many with a limit: ${extra.join(' ')}` : null
}

/** Simpler variants of a request that are still valid. */
function* simplerQueries({ minor, request }: Query): Generator<Query> {
  const changed = (change: Partial<CandidateRequest>): Query => ({
    minor,
    request: { ...request, ...change },
  })
  const suffixed = request.groups.filter(group => group.suffix !== '')
  if (request.limit !== null) yield changed({ limit: null })
  if (request.groupPolicy === 'isolate') yield changed({ groupPolicy: 'none' })
  if (request.groupPolicy !== null && suffixed.length < 2) yield changed({ groupPolicy: null })
  for (const key of ['rootRequired', 'rootForbidden'] as const)
    if (request[key].length > 0) yield changed({ [key]: request[key].slice(1) })
  const without = (at: number) => request.sameSubtrees.filter((_, other) => other !== at)
  for (const at of request.sameSubtrees.keys()) yield changed({ sameSubtrees: without(at) })
  for (const gone of request.groups)
    yield changed({
      groups: request.groups.filter(group => group !== gone),
      sameSubtrees: request.sameSubtrees
        .map(list => list.filter(suffix => suffix !== gone.suffix))
        .filter(list => list.length > 0),
    })
  for (const group of request.groups)
    for (const simpler of simplerGroups(group))
      yield changed({ groups: request.groups.map(other => (other === group ? simpler : other)) })
}

function isComplete({ request: { groups, sameSubtrees } }: Query): boolean {
  const isLonely = ({ suffix, resources, required, memberOf }: RequestGroup) =>
    resources.size === 0 &&
    (required.length + memberOf.length === 0 || !sameSubtrees.some(list => list.includes(suffix)))
  return groups.some(group => group.resources.size > 0) && !groups.some(isLonely)
}

function* simplerGroups(group: RequestGroup): Generator<RequestGroup> {
  for (const [name, amount] of group.resources) {
    const others = [...group.resources].filter(([other]) => other !== name)
    if (others.length > 0) yield { ...group, resources: new Map(others) }
    if (amount > 1) yield { ...group, resources: new Map([...group.resources, [name, 1]]) }
  }
  for (const key of ['required', 'memberOf'] as const)
    for (const list of group[key]) {
      const others = group[key].filter(other => other !== list)
      yield { ...group, [key]: others }
      if (list.length > 1) yield { ...group, [key]: [...others, list.slice(1)] }
    }
  for (const key of ['forbidden', 'forbiddenAggregates'] as const)
    for (const name of group[key]) yield { ...group, [key]: group[key].filter(other => other !== name) }
  if (group.inTree !== null) yield { ...group, inTree: null }
}

function* simplerClouds({ providers }: Cloud): Generator<Cloud> {
  for (const gone of providers)
    if (!providers.some(provider => provider.parent === gone.uuid))
      yield { providers: providers.filter(provider => provider !== gone) }
  for (const provider of providers)
    for (const simpler of simplerProviders(provider))
      yield { providers: providers.map(other => (other === provider ? simpler : other)) }
}

const ROOMY = { total: 10, reserved: 0, minUnit: 1, maxUnit: 10, stepSize: 1, ratio: 1, used: 0 }

function* simplerProviders(provider: CloudProvider): Generator<CloudProvider> {
  for (const [name, inventory] of Object.entries(provider.inventories)) {
    const { [name]: _gone, ...others } = provider.inventories
    yield { ...provider, inventories: others }
    if (JSON.stringify(inventory) !== JSON.stringify(ROOMY))
      yield { ...provider, inventories: { ...others, [name]: ROOMY } }
  }
  for (const key of ['traits', 'aggregates'] as const)
    for (const name of provider[key])
      yield { ...provider, [key]: provider[key].filter(other => other !== name) }
  if (provider.parent !== null) yield { ...provider, parent: null }
}

const AT_ONCE = 6

class Comparison {
  compared = 0
  found = 0
  readonly skipped = new Map<string, number>()
  readonly #left: Subject
  readonly #right: Subject
  readonly #isExact: boolean

  constructor(left: Subject, right: Subject, isExact: boolean) {
    this.#left = left
    this.#right = right
    this.#isExact = isExact
  }

  /** How many differences there are. */
  async run(questions: Iterable<Questionnaire>, differencesMax: number): Promise<number> {
    let differences = 0
    for (const { cloud, queries } of questions) {
      const query = await this.#firstDifferent(cloud, queries)
      if (query === null) continue
      await this.#report(cloud, query)
      if (++differences >= differencesMax) break
    }
    return differences
  }

  async #firstDifferent(cloud: Cloud, queries: readonly Query[]): Promise<Query | null> {
    await this.#load(cloud)
    for (let at = 0; at < queries.length; at += AT_ONCE) {
      const some = queries.slice(at, at + AT_ONCE)
      const wrongs = await Promise.all(some.map(query => this.#compare(cloud, query)))
      const first = some[wrongs.findIndex(wrong => wrong !== null)]
      if (first !== undefined) return first
    }
    return null
  }

  async #load(cloud: Cloud): Promise<void> {
    await Promise.all([this.#left.load(cloud), this.#right.load(cloud)])
  }

  async #compare(cloud: Cloud, query: Query): Promise<string | null> {
    const unlimited = { ...query, request: { ...query.request, limit: null } }
    const [left, right] = await Promise.all([this.#left.ask(unlimited), this.#right.ask(unlimited)])
    const bug = this.#isExact ? null : knownBug(cloud, query, right.status)
    if (bug !== null) {
      this.skipped.set(bug, (this.skipped.get(bug) ?? 0) + 1)
      return null
    }
    this.compared++
    if (left.candidates.length > 0) this.found++
    let wrong = difference(left, right)
    if (wrong === null && query.request.limit !== null)
      for (const [subject, all] of [[this.#left, left] as const, [this.#right, right] as const])
        if (subject instanceof HttpSubject) wrong ??= limitDifference(all, await subject.ask(query), query)
    return wrong
  }

  /** Removes everything that is not needed for the difference. */
  async #report(cloud: Cloud, query: Query): Promise<void> {
    const kindOf = (wrong: string | null) => wrong?.split(':')[0] ?? null
    const kind = kindOf(await this.#compare(cloud, query))
    let smallest = { cloud, query }
    const isDifferent = async (simpler: { cloud: Cloud; query: Query }) => {
      await this.#load(simpler.cloud)
      if (kindOf(await this.#compare(simpler.cloud, simpler.query)) !== kind) return false
      smallest = simpler
      return true
    }
    for (let isShrinking = true; isShrinking; ) {
      isShrinking = false
      for (const simpler of simplerQueries(smallest.query).filter(isComplete))
        if (await isDifferent({ cloud: smallest.cloud, query: simpler })) {
          isShrinking = true
          break
        }
      for (const simpler of isShrinking ? [] : simplerClouds(smallest.cloud))
        if (await isDifferent({ cloud: simpler, query: smallest.query })) {
          isShrinking = true
          break
        }
    }
    await this.#load(smallest.cloud)
    for (const provider of smallest.cloud.providers) console.log(JSON.stringify(provider))
    const { minor, request } = smallest.query
    console.log(`1.${minor} ${queryUrl(minor, request)}`)
    console.log(`${await this.#compare(smallest.cloud, smallest.query)}\n`)
  }
}

const { values } = parseArgs({
  options: {
    left: { type: 'string' },
    right: { type: 'string' },
    clouds: { type: 'string', default: '100' },
    queries: { type: 'string', default: '60' },
    'minor-max': { type: 'string', default: '39' },
    exact: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    differences: { type: 'string', default: '1' },
  },
})
if (values.left === undefined || values.right === undefined) {
  console.error('--left URL|model and --right URL are needed; the head of this file says more')
  process.exit(2)
}
const subject = (name: string): Subject => (name === 'model' ? new ModelSubject() : new HttpSubject(name))
const comparison = new Comparison(subject(values.left), subject(values.right), values.exact)
const minors = [...PLACEMENT_MINORS, 40, 40, 40, 40, 40, 40].filter(
  minor => minor <= Number(values['minor-max']),
)
const differences = await comparison.run(
  fc.sample(questionnaires(Number(values.queries), minors), {
    numRuns: Number(values.clouds),
    seed: Number(values.seed),
  }),
  Number(values.differences),
)
console.log(
  `--seed ${values.seed}: ${comparison.compared} questions compared, ${comparison.found} of them with ` +
    `candidates, ${differences} differences`,
)
for (const [bug, count] of comparison.skipped) console.log(`  ${count} not compared: ${bug}`)
process.exitCode = differences === 0 ? 0 : 1
