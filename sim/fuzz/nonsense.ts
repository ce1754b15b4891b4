/** Bytes that are no HTTP request, or one that no client would send. The server answers with an error, or closes the connection. */
import type { Chance } from './chance.ts'
import type { FuzzRequest } from './request.ts'
import { sendingOf } from './sending.ts'
import type { Sending } from './wire.ts'

const HEADS = [
  'GET / HTTP/0.9\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET / HTTP/2.0\r\nhost: a\r\n\r\n',
  'GET / HTTP/9.9\r\nhost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'get / HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET  / HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /a b HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n',
  'CONNECT evil:443 HTTP/1.1\r\nhost: evil\r\n\r\n',
  'GET http://evil/placement/ HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET http:///// HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET ?x HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET * HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/fleet HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
  'GET / HTTP/1.1\r\n host: a\r\n\r\n',
  'GET / HTTP/1.1\r\nhost : a\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nx: a\r\n b\r\n\r\n',
  'GET / HTTP/1.1\nhost: a\n\n',
  'GET / HTTP/1.1\r\nhost: a\r\n: x\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nx\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nx: \u0000\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\u0000'.repeat(100),
  '\r\n\r\n\r\n',
  'SSH-2.0-x\r\n',
  'GET /placement/resource_providers HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  'QUIT\r\n',
]

const FRAMINGS = [
  'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nhost: a\r\n\r\n',
  'transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n5\r\n{}   \r\n0\r\n\r\n',
  'content-length: 2\r\ncontent-length: 3\r\n\r\n{}x',
  'content-length: 2, 2\r\n\r\n{}',
  'content-length: -1\r\n\r\n{}',
  'content-length: +2\r\n\r\n{}',
  'content-length: 0x2\r\n\r\n{}',
  'content-length: 99999999999999999999\r\n\r\n{}',
  'content-length: 9007199254740993\r\n\r\n{}',
  'content-length: 100\r\n\r\n{}',
  'content-length:\r\n\r\n{}',
  'transfer-encoding: xchunked\r\n\r\n{}',
  'transfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  'transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n',
  'transfer-encoding: chunked\r\n\r\n2\n{}\n0\n\n',
  'transfer-encoding: chunked\r\n\r\n2;a="\r\n{}\r\n0\r\n\r\n',
  `transfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  'transfer-encoding: chunked\r\n\r\n2\r\n{}',
  'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nhost: evil\r\n\r\n',
  'transfer-encoding:\u000bchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'expect: 100-continue\r\ncontent-length: 2\r\n\r\n',
]

const PATHS = [
  '/placement/resource_providers',
  '/v1/schedule',
  '/identity/v3/auth/tokens',
  '/share/v2/shares',
  '/',
  '/metrics',
  '/healthz',
]

/** We close our side after it, so that half a request gets its answer or its end at once. */
export function nonsense(chance: Chance, request: FuzzRequest): Sending {
  const bytes = bytesOf(chance, request)
  return {
    pieces: [bytes],
    // Not that of the request, of which there may be nothing left.
    methods: [bytes.toString('latin1', 0, 5) === 'HEAD ' ? 'HEAD' : 'GET'],
    pauseMs: 0,
    untilClose: true,
    abort: false,
  }
}

function bytesOf(chance: Chance, request: FuzzRequest): Buffer {
  const [whole = Buffer.alloc(0)] = sendingOf(chance, 'whole', [request]).pieces
  switch (chance.below(7)) {
    case 0:
    case 1:
      return Buffer.from(chance.pick(HEADS), 'latin1')
    case 2:
    case 3: {
      const token = request.role.token === null ? '' : `x-auth-token: ${request.role.token}\r\n`
      const first = `POST ${chance.pick(PATHS)} HTTP/1.1\r\nhost: a\r\n${token}content-type: application/json\r\n`
      return Buffer.from(`${first}${chance.pick(FRAMINGS)}`, 'latin1')
    }
    case 4: {
      const copy = Buffer.from(whole)
      for (let left = 1 + chance.below(4); left > 0; left--)
        copy[chance.below(Math.min(copy.length, 400))] = chance.pick([
          0,
          9,
          10,
          13,
          32,
          58,
          127,
          255,
          chance.below(256),
        ])
      return copy
    }
    case 5:
      return whole.subarray(0, chance.below(whole.length))
    default:
      return chance.percent(50)
        ? Buffer.from(Array.from({ length: chance.size(3_000) }, () => chance.below(256)))
        : Buffer.from(
            `GET /${'a'.repeat(chance.size(120_000))} HTTP/1.1\r\nhost: a\r\nx: ${'b'.repeat(chance.size(120_000))}\r\n\r\n`,
          )
  }
}
