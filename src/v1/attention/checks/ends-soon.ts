import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { countText } from '../../../kernel/count-text.ts'
import type { Severity } from '../../../wire/attention.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

const DAY_MS = 86_400_000
const WARN_MS = 14 * DAY_MS
const CRITICAL_MS = 2 * DAY_MS

const severityOf = (leftMs: number): Severity => (leftMs < CRITICAL_MS ? 'critical' : 'warning')

function describeEnd(leftMs: number): string {
  const days = Math.floor(Math.abs(leftMs) / DAY_MS)
  if (leftMs < 0) return days === 0 ? 'ended today' : `ended ${countText(days, 'day')} ago`
  return days === 0 ? 'ends within a day' : `ends in ${countText(days, 'day')}`
}

/** Clients refuse a server whose certificate has expired. */
export const certificateEnds: AttentionCheck = {
  code: 'certificate.ends',
  what: 'The TLS certificate ends within 14 days; critical from 2 days on.',
  severity: 'warning',
  operation: 'berth:verify',
  restMs: 60_000,
  readsMoreThanState: true,
  async find({ certificateFile, nowMs }) {
    if (certificateFile === null) return null
    const { validTo } = new X509Certificate(await readFile(certificateFile))
    const leftMs = Date.parse(validTo) - nowMs
    if (leftMs > WARN_MS) return null
    return {
      severity: severityOf(leftMs),
      total: 1,
      text: `The certificate of this server ${describeEnd(leftMs)}`,
      link: null,
      command: 'berth config',
      items: [{ name: certificateFile, text: `valid until ${validTo}`, link: null }],
    }
  },
}

/** The page of the console that has them. */
const TOKENS = '/access/tokens'

/** Machines are locked out once their static token or application credential expires. */
export const tokensEnd: AttentionCheck = {
  code: 'token.ends',
  what: 'Static tokens and application credentials that end within 14 days; critical from 2 days on.',
  severity: 'warning',
  operation: 'berth:tokens',
  restMs: 0,
  readsMoreThanState: true,
  find({ world: { identity }, nowMs }) {
    const worst = new WorstItems()
    let soonest = Number.POSITIVE_INFINITY
    const look = (name: string, endsAt: number | null) => {
      if (endsAt === null || endsAt - nowMs > WARN_MS || endsAt < nowMs - WARN_MS) return
      soonest = Math.min(soonest, endsAt)
      worst.add(-endsAt, { name, text: describeEnd(endsAt - nowMs), link: TOKENS })
    }
    for (const row of identity.staticTokens.rows()) look(row.name, row.expires_at)
    for (const row of identity.credentials.rows()) look(`application credential ${row.name}`, row.expires_at)
    if (worst.total === 0) return null
    return {
      severity: severityOf(soonest - nowMs),
      total: worst.total,
      text: `${countText(worst.total, 'token or credential ends', 'tokens or credentials end')} within 14 days, or just ended`,
      link: TOKENS,
      command: 'berth token list',
      items: worst.list(),
    }
  },
}
