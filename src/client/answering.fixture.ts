import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answerer = (asked: Asked, response: ServerResponse) => unknown

/** A small server in this process that answers as a test says, and remembers what it was asked. */
export class Answering {
  readonly asked: Asked[] = []
  readonly url: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(answer: Answerer): Promise<Answering> {
    let self: Answering | null = null
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const asked: Asked = {
        method: request.method as string,
        url: request.url as string,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      self?.asked.push(asked)
      await answer(asked, response)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    self = new Answering(server)
    return self
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  contentType = 'application/json',
): void {
  response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(body))
}

/** A problem document, as /v1 gives it. */
export function answerProblem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  answerJson(
    response,
    status,
    { title: 'No', status, code, detail, request_id: 'req-1', ...facts },
    'application/problem+json',
  )
}

/** Asks another server the same, and answers what it answers. */
export async function passOn(
  server: string,
  { method, url, headers, body }: Asked,
  response: ServerResponse,
): Promise<void> {
  const { host: _, connection: __, 'content-length': ___, ...sent } = headers
  const answer = await fetch(`${server}${url}`, {
    method,
    headers: sent as Record<string, string>,
    body: body === '' ? null : body,
  })
  const type = answer.headers.get('content-type')
  response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
  response.end(Buffer.from(await answer.arrayBuffer()))
}
