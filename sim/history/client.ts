/** Sends operations to a server over HTTP, and classifies the answers. */
import { Agent, request } from 'node:http'
import type { Ask, Claim, OperationResult, Refusal } from './operation.ts'
import { isWrite, markOf, signatureOf } from './operation.ts'

export const CLASS = 'VCPU'
/** Longer than a server takes to notice that its database is gone. */
const ANSWER_MS_MAX = 20_000

interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** No answer came. `isSent` is false where the request cannot have reached the server. */
class NoAnswer extends Error {
  readonly isSent: boolean

  constructor(error: NodeJS.ErrnoException) {
    super(error.code ?? error.message)
    this.isSent = error.code !== 'ECONNREFUSED'
  }
}

export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Rejects with NoAnswer. */
  send(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const headers: Record<string, string | number> = {
        'x-auth-token': 'admin',
        'openstack-api-version': 'placement 1.38',
        ...(sent !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
      }
      const fail = (error: Error) => reject(new NoAnswer(error))
      const asked = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode as number, text }))
        response.on('error', fail)
      })
      asked.setTimeout(ANSWER_MS_MAX, () => asked.destroy(new Error(`no answer within ${ANSWER_MS_MAX} ms`)))
      asked.on('error', fail)
      asked.end(sent)
    })
  }

  async ask(id: number, ask: Ask): Promise<OperationResult> {
    const [method, path, body] = requestOf(id, ask)
    try {
      return meaningOf(ask, await this.send(method, path, body))
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const isHarmless = !isWrite(ask) || !error.isSent
      return { kind: isHarmless ? 'nothing' : 'unknown', why: error.message }
    }
  }

  close(): void {
    this.#agent.destroy()
  }
}

function requestOf(id: number, ask: Ask): [method: string, path: string, body?: unknown] {
  switch (ask.kind) {
    case 'claim': {
      const [only, ...others] = ask.claims as [Claim, ...Claim[]]
      if (others.length === 0) return ['PUT', `/allocations/${only.consumer}`, bodyOf(id, only)]
      return [
        'POST',
        '/allocations',
        Object.fromEntries(ask.claims.map(one => [one.consumer, bodyOf(id, one)])),
      ]
    }
    case 'forget':
      return ['DELETE', `/allocations/${ask.consumer}`]
    case 'resize': {
      const { total, generation } = ask
      const body = { total, max_unit: markOf(id), resource_provider_generation: generation }
      return ['PUT', `/resource_providers/${ask.provider}/inventories/${CLASS}`, body]
    }
    case 'see-consumer':
      return ['GET', `/allocations/${ask.consumer}`]
    case 'see-usage':
      return ['GET', `/resource_providers/${ask.provider}/usages`]
    case 'see-holders':
      return ['GET', `/resource_providers/${ask.provider}/allocations`]
    case 'see-inventory':
      return ['GET', `/resource_providers/${ask.provider}/inventories`]
    case 'see-candidates':
      return ['GET', `/allocation_candidates?resources=${CLASS}:${ask.amount}`]
    default:
      return ask satisfies never
  }
}

function bodyOf(id: number, { generation, holdings }: Claim): unknown {
  const allocations = Object.entries(holdings).map(([provider, amount]) => [
    provider,
    { resources: { [CLASS]: amount } },
  ])
  return {
    allocations: Object.fromEntries(allocations),
    project_id: 'sim',
    user_id: signatureOf(id),
    consumer_generation: generation,
    consumer_type: 'INSTANCE',
  }
}

function meaningOf(ask: Ask, { status, text }: HttpAnswer): OperationResult {
  if (status === 503) {
    const isUncertain = isWrite(ask) && !text.includes('nothing was changed')
    return { kind: isUncertain ? 'unknown' : 'nothing', why: `503 ${detailOf(text)}` }
  }
  if (isWrite(ask)) {
    if (status === 204) return { kind: 'done' }
    if (status === 200) return { kind: 'done', generation: JSON.parse(text).resource_provider_generation }
    const refusal = refusalOf(status, text)
    if (refusal !== null) return { kind: 'refused', refusal }
  } else if (status === 200) return { kind: 'seen', view: viewOf(ask, JSON.parse(text)) }
  return { kind: 'fault', why: `${status} ${detailOf(text)}` }
}

function detailOf(text: string): string {
  try {
    // Placement's message begins with another sentence.
    return JSON.parse(text).errors[0].detail.trim().split('\n').at(-1).trim()
  } catch {
    return text.slice(0, 300)
  }
}

function refusalOf(status: number, text: string): Refusal | null {
  if (status === 404 && text.includes('No allocations for consumer')) return { kind: 'no-allocations' }
  if (status !== 409) return null
  const detail = detailOf(text)
  const generations = /consumer generation conflict - expected (\S+) but got (\S+)/.exec(detail)
  if (generations !== null)
    return { kind: 'consumer-generation', actual: numberOf(generations[1]), given: numberOf(generations[2]) }
  if (detail.includes('resource provider generation conflict')) return { kind: 'provider-generation' }
  const provider = /on resource provider '(\S+)'\. The requested amount would exceed the capacity/.exec(
    detail,
  )
  return provider === null ? null : { kind: 'over-capacity', provider: provider[1] as string }
}

const numberOf = (text: string | undefined): number | null =>
  text === undefined || !/^\d+$/.test(text) ? null : Number(text)

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Json = any

/** The answer in the form that `books.ts` predicts. */
function viewOf(ask: Ask, json: Json): unknown {
  switch (ask.kind) {
    case 'see-consumer': {
      const holds = mapped(json.allocations, one => ({ amount: amountOf(one), generation: one.generation }))
      if (json.consumer_generation === undefined) return { holds }
      return { generation: json.consumer_generation, signature: json.user_id, holds }
    }
    case 'see-usage':
      return { generation: json.resource_provider_generation, used: json.usages[CLASS] }
    case 'see-holders': {
      const holders = mapped(json.allocations, one => ({
        generation: one.consumer_generation,
        amount: amountOf(one),
      }))
      return { generation: json.resource_provider_generation, holders }
    }
    case 'see-inventory': {
      const { total, max_unit: mark } = json.inventories[CLASS]
      return { generation: json.resource_provider_generation, total, mark }
    }
    default: {
      const places = mapped(json.provider_summaries, ({ resources }) => ({
        total: resources[CLASS].capacity,
        used: resources[CLASS].used,
      }))
      return { places }
    }
  }
}

const amountOf = (one: Json): number => one.resources[CLASS]

function mapped(record: Record<string, Json>, to: (value: Json) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]))
}
