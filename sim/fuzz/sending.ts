/** How a request is sent: whole, in chunks, in pieces, several at once, or cut off. */
import type { Chance } from './chance.ts'
import type { FuzzRequest } from './request.ts'
import type { Sending } from './wire.ts'

type Style = 'whole' | 'chunked' | 'slow' | 'pipelined' | 'aborted'

/** Chosen for most requests so that a run is quick. */
export function chooseStyle(chance: Chance): Style {
  if (chance.percent(85)) return 'whole'
  return chance.pick(['chunked', 'chunked', 'pipelined', 'pipelined', 'slow', 'aborted'])
}

const SLOW_PIECES_MAX = 6
const SLOW_PAUSE_MS = 4

export function sendingOf(chance: Chance, style: Style, requests: readonly FuzzRequest[]): Sending {
  const bytes = Buffer.concat(
    requests.map(request =>
      render(chance, requests.length > 1 ? withoutUpgrade(request) : request, style === 'chunked'),
    ),
  )
  const methods = requests.map(({ method }) => method)
  const usual = { methods, pauseMs: SLOW_PAUSE_MS, untilClose: false, abort: false }
  if (style === 'slow') return { ...usual, pieces: cut(chance, bytes) }
  if (style === 'aborted') return { ...usual, pieces: cut(chance, bytes).slice(0, -1), abort: true }
  return { ...usual, pieces: [bytes] }
}

/** Node drops what follows a request with this header in the same packet: its sender asked for another protocol. */
const withoutUpgrade = (request: FuzzRequest): FuzzRequest => ({
  ...request,
  headers: request.headers.filter(([name]) => name !== 'upgrade'),
})

function render(chance: Chance, { method, target, headers, body }: FuzzRequest, isChunked: boolean): Buffer {
  const framing: (readonly [string, string])[] =
    body === null
      ? []
      : isChunked
        ? [['transfer-encoding', 'chunked']]
        : [['content-length', String(body.length)]]
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`)
  // What is not ASCII in a target goes out as its bytes in UTF-8, as browsers of old did.
  const head = Buffer.concat([
    Buffer.from(`${method} `),
    Buffer.from(target),
    Buffer.from(` HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
  ])
  if (body === null) return head
  return Buffer.concat([head, isChunked ? chunks(chance, body) : body])
}

function chunks(chance: Chance, body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + chance.below(Math.max(1, Math.ceil(body.length / 3))))
    const extension = chance.percent(5) ? ';x=y' : ''
    parts.push(
      Buffer.from(`${size.toString(16)}${extension}\r\n`),
      body.subarray(at, at + size),
      Buffer.from('\r\n'),
    )
    at += size
  }
  return Buffer.concat([
    ...parts,
    Buffer.from(chance.percent(10) ? '0\r\nx-trailer: 1\r\n\r\n' : '0\r\n\r\n'),
  ])
}

function cut(chance: Chance, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  let rest = bytes
  for (let left = 1 + chance.below(SLOW_PIECES_MAX); left > 0 && rest.length > 1; left--) {
    const at = 1 + chance.below(rest.length - 1)
    pieces.push(rest.subarray(0, at))
    rest = rest.subarray(at)
  }
  return [...pieces, rest]
}
