import { HttpClient } from './http-client.ts'

const ANSWER_BYTES_MAX = 256 * 1024 * 1024
const ANSWER_MS_MAX = 120_000
const WITHOUT_BODY = new Set([204, 205, 304])

/** A `fetch` for a server whose certificate is of these authorities (PEM). Bodies are texts, and an answer is read whole. */
export function makeTrustingFetch(authorities: string): typeof globalThis.fetch {
  const client = new HttpClient({ authorities, isBlind: false })
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const answer = await client.send({
      method,
      url: String(input),
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      timeoutMs: ANSWER_MS_MAX,
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(signal == null ? {} : { signal }),
    })
    const { status } = answer
    return new Response(WITHOUT_BODY.has(status) ? null : answer.body, { status, headers: answer.headers })
  }
}
