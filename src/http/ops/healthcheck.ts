import { access } from 'node:fs/promises'
import { hostname, platform, release } from 'node:os'
import type { ApiAnswer, ApiRequest, NoFeatures, Route } from '../api.ts'
import { choosePreferred } from '../request/accept.ts'

/** The health check of oslo.middleware, which OpenStack's deployments have at /healthcheck. */
export interface HealthcheckSettings {
  /** If one of these exists, the operator wants requests to go elsewhere. */
  readonly disableFiles: readonly string[]
  /** If one of these is missing, something that the service needs is missing. */
  readonly enableFiles: readonly string[]
  readonly isDetailed: boolean
}

/** The result of one check, in the words of oslo.middleware. */
interface CheckResult {
  readonly isAvailable: boolean
  readonly reason: string
  readonly details: string
}

export const NO_HEALTHCHECK_FILES: HealthcheckSettings = {
  disableFiles: [],
  enableFiles: [],
  isDetailed: false,
}

const TYPES = ['text/plain', 'text/html', 'application/json']

/** `unready` returns why requests should go to another server; null if they need not. */
export function healthcheckRoutes(
  settings: HealthcheckSettings,
  unready: () => string | null,
): Route<NoFeatures>[] {
  const handle = async ({ method, headers }: ApiRequest<NoFeatures>): Promise<ApiAnswer> => {
    const results = [readyResult(unready()), ...(await checkFiles(settings))]
    const isHealthy = results.every(({ isAvailable }) => isAvailable)
    const plain = { headers: { 'cache-control': 'no-store' } }
    if (method === 'HEAD') return { ...plain, status: isHealthy ? 204 : 503 }
    const type = choosePreferred(headers.accept, TYPES) ?? 'text/plain'
    return { ...plain, status: isHealthy ? 200 : 503, ...render(type, results, settings.isDetailed) }
  }
  return (['GET', 'HEAD'] as const).map(method => ({ method, path: '/healthcheck', operation: null, handle }))
}

const readyResult = (reason: string | null): CheckResult =>
  reason === null
    ? { isAvailable: true, reason: 'OK', details: 'Requests are answered' }
    : { isAvailable: false, reason: reason.toUpperCase(), details: 'See /readyz' }

function checkFiles({ disableFiles, enableFiles }: HealthcheckSettings): Promise<CheckResult[]> {
  const disabled = disableFiles.map(
    async (path): Promise<CheckResult> =>
      (await exists(path))
        ? { isAvailable: false, reason: 'DISABLED BY FILE', details: `Path '${path}' was found` }
        : { isAvailable: true, reason: 'OK', details: `Path '${path}' was not found` },
  )
  const enabled = enableFiles.map(
    async (path): Promise<CheckResult> =>
      (await exists(path))
        ? { isAvailable: true, reason: 'OK', details: `File path ${path} is available` }
        : { isAvailable: false, reason: 'FILE PATH MISSING', details: `File path ${path} is missing` },
  )
  return Promise.all([...disabled, ...enabled])
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

function render(
  type: string,
  results: readonly CheckResult[],
  isDetailed: boolean,
): Pick<ApiAnswer, 'contentType' | 'body'> {
  if (type === 'application/json')
    return { contentType: 'application/json', body: JSON.stringify(jsonBody(results, isDetailed), null, 4) }
  if (type === 'text/html')
    return { contentType: 'text/html; charset=UTF-8', body: htmlBody(results, isDetailed) }
  const reasons = distinct(results.map(({ reason }) => reason))
  return { contentType: 'text/plain; charset=UTF-8', body: reasons.join('\n') }
}

/** Every failed check has its line; one OK covers all others. */
function distinct(reasons: readonly string[]): string[] {
  const failed = reasons.filter(reason => reason !== 'OK')
  return failed.length === 0 ? ['OK'] : failed
}

/** The keys in the order of oslo.middleware, without those about Python. */
function jsonBody(results: readonly CheckResult[], isDetailed: boolean): object {
  if (!isDetailed) return { detailed: false, reasons: distinct(results.map(({ reason }) => reason)) }
  return {
    detailed: true,
    now: nowText(),
    platform: platformText(),
    reasons: results.map(({ reason, details }) => ({ class: 'HealthcheckResult', details, reason })),
  }
}

function htmlBody(results: readonly CheckResult[], isDetailed: boolean): string {
  const heads = isDetailed ? ['Kind', 'Reason', 'Details'] : ['Reason']
  const rows = isDetailed
    ? results.map(({ reason, details }) => ['HealthcheckResult', reason, details])
    : distinct(results.map(({ reason }) => reason)).map(reason => [reason])
  const facts = isDetailed
    ? [
        '<H1>Server status</H1>',
        `<B>Server hostname:</B><PRE>${escapeHtml(hostname())}</PRE>`,
        `<B>Current time:</B><PRE>${nowText()}</PRE>`,
        `<B>Platform:</B><PRE>${escapeHtml(platformText())}</PRE>`,
        '<HR></HR>',
      ]
    : []
  const cells = (tag: string, texts: readonly string[]) =>
    `<TR>${texts.map(text => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</TR>`
  return [
    '<HTML>',
    '<HEAD><TITLE>Healthcheck Status</TITLE></HEAD>',
    '<BODY>',
    ...facts,
    `<H2>Result of ${rows.length} checks:</H2>`,
    '<TABLE bgcolor="#ffffff" border="1">',
    '<TBODY>',
    cells('TH', heads),
    ...rows.map(row => cells('TD', row)),
    '</TBODY>',
    '</TABLE>',
    '<HR></HR>',
    '</BODY>',
    '</HTML>',
  ].join('\n')
}

const nowText = (): string => new Date().toISOString().replace('T', ' ').replace('Z', '')

const platformText = (): string => `${platform()}-${release()}`

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;')
