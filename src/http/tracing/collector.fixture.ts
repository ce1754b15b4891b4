/** A collector of traces: takes what OTLP over HTTP defines, in JSON, and refuses everything else as a real one may. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: number
  readonly startNano: bigint
  readonly endNano: bigint
  readonly attributes: ReadonlyMap<string, string | number | bigint | boolean>
  readonly error: string | null
  readonly resource: ReadonlyMap<string, string | number | bigint | boolean>
}

/** How the collector answers a request; absent: as it should. */
interface Behaviour {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Never answers. */
  readonly isSilent?: boolean
}

export class Collector {
  readonly spans: CollectedSpan[] = []
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly spans: number }[] = []
  readonly faults: string[] = []
  behaviour: Behaviour = {}
  readonly #server: Server

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let text = ''
      for await (const piece of request) text += piece
      const { status = 200, headers = {}, body = '{}', isSilent = false } = this.behaviour
      try {
        const spans = this.#take(request, text)
        this.requests.push({ headers: request.headers, spans: spans.length })
        if (status === 200) this.spans.push(...spans)
      } catch (error) {
        this.faults.push((error as Error).message)
        response.writeHead(400).end(JSON.stringify({ code: 3, message: (error as Error).message }))
        return
      }
      if (!isSilent) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    })
  }

  static async start(): Promise<Collector> {
    const collector = new Collector()
    collector.#server.listen(0, '127.0.0.1')
    await once(collector.#server, 'listening')
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(request: IncomingMessage, text: string): CollectedSpan[] {
    need(request.method === 'POST' && request.url === '/v1/traces', `${request.method} ${request.url}`)
    need(request.headers['content-type'] === 'application/json', 'content-type')
    return decodeOtlp(JSON.parse(text))
  }
}

/** ExportTraceServiceRequest, by opentelemetry/proto/{collector/trace,trace,resource,common}/v1. Unknown fields are refused. */
export function decodeOtlp(value: unknown): CollectedSpan[] {
  const { resourceSpans } = object(value, ['resourceSpans'])
  return list(resourceSpans).flatMap(one => {
    const { resource, scopeSpans } = object(one, ['resource', 'scopeSpans', 'schemaUrl'])
    const { attributes } = object(resource, ['attributes', 'droppedAttributesCount'])
    const about = decodeAttributes(attributes)
    need(about.has('service.name'), 'a resource without service.name')
    return list(scopeSpans).flatMap(part => {
      const { scope, spans } = object(part, ['scope', 'spans', 'schemaUrl'])
      const { name } = object(scope, ['name', 'version', 'attributes', 'droppedAttributesCount'])
      need(typeof name === 'string' && name !== '', 'a scope without a name')
      return list(spans).map(span => decodeSpan(span, about))
    })
  })
}

const SPAN_FIELDS = [
  ['traceId', 'spanId', 'traceState', 'parentSpanId', 'flags', 'name', 'kind', 'startTimeUnixNano'],
  ['endTimeUnixNano', 'attributes', 'droppedAttributesCount', 'events', 'droppedEventsCount', 'links'],
  ['droppedLinksCount', 'status'],
].flat()

function decodeSpan(value: unknown, resource: CollectedSpan['resource']): CollectedSpan {
  const span = object(value, SPAN_FIELDS)
  const { traceId, spanId, parentSpanId = '', traceState = '', name, kind, flags = 0, status = {} } = span
  need(isId(traceId, 32) && isId(spanId, 16), `ids ${traceId} ${spanId}`)
  need(parentSpanId === '' || isId(parentSpanId, 16), `parent ${parentSpanId}`)
  need(typeof traceState === 'string', 'traceState')
  need(typeof name === 'string' && name !== '', 'a span without a name')
  need(Number.isInteger(kind) && (kind as number) >= 0 && (kind as number) <= 5, `kind ${kind}`)
  need(Number.isInteger(flags) && (flags as number) >= 0 && (flags as number) < 2 ** 32, `flags ${flags}`)
  const startNano = decodeTime(span.startTimeUnixNano)
  const endNano = decodeTime(span.endTimeUnixNano)
  need(startNano <= endNano, `${name} ends before it starts`)
  const { code = 0, message = '' } = object(status, ['code', 'message'])
  need(code === 0 || code === 1 || code === 2, `status ${code}`)
  need(typeof message === 'string', 'message of the status')
  return {
    traceId: traceId as string,
    spanId: spanId as string,
    parentSpanId: parentSpanId as string,
    traceState: traceState as string,
    name: name as string,
    kind: kind as number,
    startNano,
    endNano,
    attributes: decodeAttributes(span.attributes),
    error: code === 2 ? (message as string) : null,
    resource,
  }
}

function decodeAttributes(value: unknown): CollectedSpan['attributes'] {
  const found = new Map<string, string | number | bigint | boolean>()
  for (const one of list(value ?? [])) {
    const { key, value: any } = object(one, ['key', 'value'])
    need(typeof key === 'string' && key !== '' && !found.has(key), `attribute ${key}`)
    const entries = Object.entries(object(any, ['stringValue', 'boolValue', 'intValue', 'doubleValue']))
    need(entries.length === 1, `the value of ${key}`)
    const [kind, content] = entries[0] as [string, unknown]
    found.set(key as string, decodeScalar(kind, content))
  }
  return found
}

function decodeScalar(kind: string, content: unknown): string | number | bigint | boolean {
  if (kind === 'intValue') {
    need(typeof content === 'string' && /^-?\d{1,19}$/.test(content), `intValue ${content}`)
    return BigInt(content as string)
  }
  const type = { stringValue: 'string', boolValue: 'boolean', doubleValue: 'number' }[kind]
  need(typeof content === type, `${kind} ${content}`)
  return content as string | number | boolean
}

/** fixed64 in JSON is a decimal text. */
function decodeTime(value: unknown): bigint {
  need(typeof value === 'string' && /^\d{1,20}$/.test(value), `time ${value}`)
  const nano = BigInt(value as string)
  need(nano > 0n && nano < 2n ** 64n, `time ${value}`)
  return nano
}

const isId = (value: unknown, digits: number): boolean =>
  typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value) && !/^0+$/.test(value)

function object(value: unknown, fields: readonly string[]): Record<string, unknown> {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), `no object: ${value}`)
  for (const name of Object.keys(value as object)) need(fields.includes(name), `unknown field ${name}`)
  return value as Record<string, unknown>
}

function list(value: unknown): unknown[] {
  need(Array.isArray(value), `no list: ${value}`)
  return value as unknown[]
}

function need(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not OTLP: ${what}`)
}
