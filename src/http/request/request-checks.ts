import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ApiError, RequestRefused, type Route } from '../api.ts'
import { acceptsJson } from './accept.ts'
import { hasBody } from './request-body.ts'

const JSON_TYPE = 'application/json'

export function checkFirstLine(request: IncomingMessage, urlBytesMax: number): void {
  const url = request.url as string
  if (url.length > urlBytesMax) throw new ApiError(414, `A URL may have at most ${urlBytesMax} bytes.`)
  const fault = findHostFault(request)
  if (fault !== null) throw new ApiError(400, fault)
}

/** Checks only requests with a Content-Length: without one, a missing type is found where a body is required. */
export function checkBodyHeaders(headers: IncomingHttpHeaders): void {
  const length = headers['content-length']
  if (length === undefined || length === '0' || headers['content-type']) return
  if (Number(length) > 0) throw new ApiError(400, 'content-type header required when content-length > 0')
}

/** Checks the headers against the route's types of body and answer. */
export function checkTypes<F>(route: Route<F>, request: IncomingMessage): void {
  const { headers } = request
  if (route.takesNoBody === true && hasBody(request))
    throw new ApiError(400, 'A body is not expected with this request.')
  if (route.takesJson === true) checkMediaType(headers, JSON_TYPE)
  if (route.bodyType !== undefined && (headers['content-type'] !== undefined || hasBody(request)))
    checkMediaType(headers, route.bodyType)
  if (route.givesJson === true && !acceptsJson(headers.accept))
    throw new ApiError(406, `Only ${JSON_TYPE} is provided`)
}

function checkMediaType(headers: IncomingHttpHeaders, wanted: string): void {
  const contentType = headers['content-type']
  if (contentType === wanted) return
  const type = contentType?.split(';', 1)[0]?.trim() ?? ''
  if (type.toLowerCase() === wanted) return
  throw new RequestRefused(
    415,
    'request.invalid',
    `The media type ${type || 'None'} is not supported, use ${wanted}`,
  )
}

const REQUEST_ID = /^[\w.-]{1,64}$/

/** The client's request id, if valid; else null. */
export function readRequestId(request: IncomingMessage): string | null {
  const id = request.headers['x-openstack-request-id']
  if (typeof id !== 'string' || !REQUEST_ID.test(id)) return null
  return id.startsWith('req-') ? id : `req-${id}`
}

const GLOBAL_REQUEST_ID = /^req-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The id of the request that the caller works on, as services of OpenStack pass it on; null if there is none. */
export function readGlobalRequestId(headers: IncomingHttpHeaders): string | null {
  const id = headers['x-openstack-request-id']
  return typeof id === 'string' && GLOBAL_REQUEST_ID.test(id) ? id : null
}

/** What is wrong with the Host header. Two are refused: a proxy may have used the other one. */
function findHostFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): string | null {
  if (headers.host === undefined) return httpVersionMinor > 0 ? 'host header required' : null
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? 'more than one host header' : null
}
