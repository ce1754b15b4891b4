import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from '../connections.ts'
import { renderError } from '../formats/error-document.ts'
import type { Log } from '../ops/log.ts'
import type { HttpMetrics } from '../ops/metrics.ts'
import type { FlatHeaders } from './cors.ts'

/** Node's error for bytes that it could not parse as a request. */
interface ClientError extends Error {
  readonly code?: string
  /** The bytes when the parser gave up. */
  readonly rawPacket?: unknown
}

interface ClientErrorParts {
  readonly newRequestId: () => string
  readonly headBytesMax: number
  readonly breakOff: Connections['breakOff']
  readonly log: Log
  readonly metrics: HttpMetrics
  readonly securityHeaders: FlatHeaders
}

/** How long a refused client may go on sending before it is cut off. */
const LINGER_MS = 2000

/** Connections with a body that may take long, as its reader sets the pace. */
const patient = new WeakSet<Socket>()

/** Exempts the body of a connection from the time limit of requests. Call the result at its end. */
export function allowLongBody(socket: Socket): () => void {
  patient.add(socket)
  return () => void patient.delete(socket)
}

/**
 * Answers what could not be parsed as a request. Its headers are unknown, so the answer is always JSON in the format of
 * the API.
 */
export function handleClientErrors(parts: ClientErrorParts): (error: ClientError, socket: Socket) => void {
  const answered = new WeakSet<Socket>()
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (answered.has(socket)) return
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && patient.has(socket)) return
    answered.add(socket)
    // Closing while the client still sends would reset the connection and lose the answers.
    const end = (answer: string): void => {
      socket.end(answer)
      socket.resume()
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    }
    parts.breakOff(socket, findBrokenRequest(socket), isAnswerDue =>
      end(isAnswerDue ? refuse(error, parts) : ''),
    )
  }
}

function refuse(error: ClientError, parts: ClientErrorParts): string {
  const { status, message } = describeRefusal(error, parts.headBytesMax)
  const requestId = parts.newRequestId()
  parts.log.info('unreadable request', { request_id: requestId, status, reason: error.code })
  parts.metrics.countStart()
  parts.metrics.countEnd('none', 'none', 'none', status, 0)
  return renderRawAnswer(status, message, requestId, parts.securityHeaders)
}

/** The request whose head was read and whose body is incomplete. */
function findBrokenRequest(socket: Socket): IncomingMessage | null {
  const { parser } = socket as Socket & {
    readonly parser?: { readonly incoming: IncomingMessage | null } | null
  }
  const incoming = parser?.incoming ?? null
  return incoming?.complete === false ? incoming : null
}

function describeRefusal(error: ClientError, headBytesMax: number): { status: number; message: string } {
  switch (error.code) {
    case 'HPE_INVALID_CONTENT_LENGTH':
      return { status: 400, message: 'content-length header must be an integer' }
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: endsInUrl(error.rawPacket) ? 414 : 431,
        message: `URL and headers may have at most ${headBytesMax} bytes together.`,
      }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, message: 'The chunk extensions are too long.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, message: '' }
    default:
      return { status: 400, message: `The request is not valid HTTP (${error.code ?? 'unknown'}).` }
  }
}

const NEWLINE = 0x0a
const METHOD = /^[A-Z]+ \//

/** A guess: the bytes start a request, and have no complete line. */
function endsInUrl(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet) || packet.includes(NEWLINE)) return false
  return METHOD.test(packet.subarray(0, 32).toString('latin1'))
}

function renderRawAnswer(status: number, message: string, requestId: string, security: FlatHeaders): string {
  const { contentType, body } = renderError({
    status,
    message,
    requestId,
    method: '',
    accept: undefined,
    contentType: undefined,
  })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `date: ${new Date().toUTCString()}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-openstack-request-id: ${requestId}`,
    ...security.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${security[at + 1]}` : [])),
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
