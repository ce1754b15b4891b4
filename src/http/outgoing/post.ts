import type { Delivery } from './delivery-queue.ts'
import type { HttpAnswer, HttpClient } from './http-client.ts'

/** The receiver of documents. */
export interface PostTarget {
  readonly client: HttpClient
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Statuses after which the same request may succeed. */
const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504])
const WHY_CHARS_MAX = 200

/** Posts a JSON document. Throws network errors. */
export async function postJson(
  { client, url, headers, timeoutMs }: PostTarget,
  body: string,
): Promise<{ readonly delivery: Delivery; readonly answer: HttpAnswer }> {
  const answer = await client.send({
    method: 'POST',
    url,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
    timeoutMs,
  })
  return { answer, delivery: judge(answer) }
}

function judge({ status, headers, body }: HttpAnswer): Delivery {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const why = `${status} ${body.slice(0, WHY_CHARS_MAX)}`.trim()
  if (!AGAIN.has(status)) return { kind: 'refused', why }
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return { kind: 'again', why, ...(seconds > 0 ? { waitMs: seconds * 1_000 } : {}) }
}
