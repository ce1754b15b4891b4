import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compressed, encodingFor } from './compression.ts'
import type { Cors, FlatHeaders } from './cors.ts'

/** Gives the answers of Fastify's routes what those of services have: safety headers, CORS and compression. */
export function addAnswerHooks(
  app: FastifyInstance,
  parts: { readonly safetyHeaders: FlatHeaders; readonly cors: Cors | null; readonly compresses: boolean },
  serveLost: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const { safetyHeaders, cors, compresses } = parts
  // Here, because later Fastify would read a body that nobody asked for, and mind its type.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      serveLost(request, reply)
      return
    }
    setHeaders(reply, ['x-openstack-request-id', request.id, ...safetyHeaders])
    if (cors !== null) setHeaders(reply, ['vary', 'Origin', ...cors.answer(request.headers)])
    done()
  })
  if (compresses) app.addHook('onSend', compressAnswer)
}

function setHeaders(reply: FastifyReply, flat: FlatHeaders): void {
  for (let at = 0; at < flat.length; at += 2) reply.header(flat[at] as string, flat[at + 1])
}

/** Whole answers only: a stream goes out as it comes. */
async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
  const encoding = encodingFor(request.headers['accept-encoding'], Buffer.byteLength(payload))
  if (encoding === null) return payload
  reply.header('content-encoding', encoding).removeHeader('content-length')
  return compressed(typeof payload === 'string' ? payload : [payload], encoding)
}
