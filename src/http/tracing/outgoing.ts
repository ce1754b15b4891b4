import type { HttpAnswer } from '../outgoing/http-client.ts'
import { findActiveSpan } from './span.ts'
import { traceHeaders } from './trace-context.ts'

/** Sends a request to another service as part of the active trace, if there is one. */
export async function traceOutgoing(
  method: string,
  url: string,
  send: (headers: Record<string, string>) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const parent = findActiveSpan()
  if (parent === undefined) return send({})
  const { origin, hostname, port, pathname } = new URL(url)
  const span = parent
    .startChild(`${method} ${pathname}`, 'client')
    .set('http.request.method', method)
    .set('url.full', `${origin}${pathname}`)
    .set('server.address', hostname)
    .set('server.port', port === '' ? null : Number(port))
  return span.around(async () => {
    const answer = await send(traceHeaders(span.context))
    span.set('http.response.status_code', answer.status)
    if (answer.status >= 400) span.fail(`HTTP ${answer.status}`)
    return answer
  })
}
