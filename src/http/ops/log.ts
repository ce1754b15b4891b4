type LogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFormat = 'json' | 'text'

type LogValue = string | number | boolean | null | undefined | Error
export type LogFields = Readonly<Record<string, LogValue>>

/** One answered request. All of it may be logged: it has no token. */
export interface RequestRecord {
  readonly requestId: string
  /** The global request id, if another service passed one on. */
  readonly globalRequestId: string | null
  /** Its trace, if requests are traced. */
  readonly traceId: string | null
  readonly service: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly user: string | null
  readonly project: string | null
  readonly microversion: string | null
  readonly bytes: number
}

export interface Log {
  debug(msg: string, fields?: LogFields): void
  info(msg: string, fields?: LogFields): void
  warn(msg: string, fields?: LogFields): void
  error(msg: string, fields?: LogFields): void
  request(record: RequestRecord): void
  /** Writes buffered lines. Call it before the process ends. */
  flush(): void
}

export interface LogOptions {
  readonly stream: { write(text: string): unknown }
  readonly level?: LogLevel
  readonly format?: LogFormat
  readonly nowMs?: () => number
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function createLog(options: LogOptions): Log {
  return new StreamLog(options)
}

/** The same log, which leaves out requests. */
export const withoutRequests = (log: Log): Log => ({
  debug: (msg, fields) => log.debug(msg, fields),
  info: (msg, fields) => log.info(msg, fields),
  warn: (msg, fields) => log.warn(msg, fields),
  error: (msg, fields) => log.error(msg, fields),
  request: () => undefined,
  flush: () => log.flush(),
})

/**
 * Writes lines of the same turn of the event loop together: one system call for many requests. Warnings and errors are
 * written at once, with all lines before them, because the process may be about to end.
 */
class StreamLog implements Log {
  readonly #stream: LogOptions['stream']
  readonly #rank: number
  readonly #isJson: boolean
  readonly #nowMs: () => number
  #waiting = ''
  readonly #flush = (): void => this.flush()

  constructor(options: LogOptions) {
    this.#stream = options.stream
    this.#rank = RANK[options.level ?? 'info']
    this.#isJson = (options.format ?? 'json') === 'json'
    this.#nowMs = options.nowMs ?? Date.now
  }

  debug(msg: string, fields: LogFields = {}): void {
    this.#record('debug', msg, fields)
  }

  info(msg: string, fields: LogFields = {}): void {
    this.#record('info', msg, fields)
  }

  warn(msg: string, fields: LogFields = {}): void {
    this.#record('warn', msg, fields)
  }

  error(msg: string, fields: LogFields = {}): void {
    this.#record('error', msg, fields)
  }

  request(record: RequestRecord): void {
    if (this.#rank > RANK.info) return
    const time = new Date(this.#nowMs()).toISOString()
    this.#write(this.#isJson ? renderRequestJson(time, record) : renderRequestText(time, record))
  }

  flush(): void {
    if (this.#waiting === '') return
    const text = this.#waiting
    this.#waiting = ''
    this.#stream.write(text)
  }

  #record(level: LogLevel, msg: string, fields: LogFields): void {
    if (this.#rank > RANK[level]) return
    const time = new Date(this.#nowMs()).toISOString()
    this.#write(this.#isJson ? recordJson(time, level, msg, fields) : recordText(time, level, msg, fields))
    if (level === 'warn' || level === 'error') this.flush()
  }

  #write(line: string): void {
    if (this.#waiting === '') setImmediate(this.#flush)
    this.#waiting += line
  }
}

// Built by hand because it is written once per request: only what a client chooses needs escaping.
function renderRequestJson(time: string, r: RequestRecord): string {
  return (
    `{"level":"info","time":"${time}","msg":"request","request_id":"${r.requestId}"` +
    (r.globalRequestId === null ? '' : `,"global_request_id":${JSON.stringify(r.globalRequestId)}`) +
    (r.traceId === null ? '' : `,"trace_id":"${r.traceId}"`) +
    `,"service":"${r.service}","method":"${r.method}","path":${JSON.stringify(shorten(r.path))}` +
    `,"status":${r.status},"duration_ms":${r.durationMs.toFixed(3)}` +
    `,"user":${r.user === null ? 'null' : JSON.stringify(r.user)}` +
    `,"project":${r.project === null ? 'null' : JSON.stringify(r.project)}` +
    `,"microversion":${r.microversion === null ? 'null' : `"${r.microversion}"`},"bytes":${r.bytes}}\n`
  )
}

function renderRequestText(time: string, r: RequestRecord): string {
  const who = `${escapeControls(r.user ?? '-')}/${escapeControls(r.project ?? '-')}`
  return (
    `${time} INFO  ${r.method} ${escapeControls(shorten(r.path))} ${r.status} ${r.durationMs.toFixed(1)}ms ` +
    `${r.bytes}B ${r.service} ${r.microversion ?? '-'} ${who} ${r.requestId}${r.traceId === null ? '' : ` trace=${r.traceId}`}\n`
  )
}

const PATH_CHARS_MAX = 2048

/** Cut first: the client decides its length. */
function shorten(path: string): string {
  if (path.length <= PATH_CHARS_MAX) return hideSecrets(path)
  return `${hideSecrets(path.slice(0, PATH_CHARS_MAX))}...`
}

/** Some clients write secrets into URLs. */
function hideSecrets(path: string): string {
  const question = path.indexOf('?')
  if (question < 0) return path
  const parameters = path.slice(question + 1).split('&')
  return `${path.slice(0, question)}?${parameters.map(renderParameter).join('&')}`
}

function renderParameter(parameter: string): string {
  const equals = parameter.indexOf('=')
  if (equals < 0 || !SECRET_PARAMETER.test(parameter.slice(0, equals))) return parameter
  return `${parameter.slice(0, equals)}=${HIDDEN}`
}

const SECRET_PARAMETER = /token|password|secret/i

function recordJson(time: string, level: LogLevel, msg: string, fields: LogFields): string {
  const shown = Object.entries(fields).map(([key, value]) => [
    key,
    isHidden(key) ? HIDDEN : toJsonValue(value),
  ])
  return `${JSON.stringify({ level, time, msg, ...Object.fromEntries(shown) })}\n`
}

function recordText(time: string, level: LogLevel, msg: string, fields: LogFields): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${msg.replace(CONTROL, ' ')}`
  let stack = ''
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (value instanceof Error) stack += `\n${value.stack ?? String(value)}`
    const text = value instanceof Error ? value.message : String(value)
    line += ` ${key}=${isHidden(key) ? HIDDEN : escapeControls(text)}`
  }
  return `${line}${stack}\n`
}

/** Fields with the name of a secret should never be logged. As a safeguard, their values are left out. */
const SECRET_KEY = /token|password|secret|authorization/i
const HIDDEN = '[hidden]'
const isHidden = (key: string): boolean => SECRET_KEY.test(key)

const CAUSES_MAX = 5

function toJsonValue(value: LogValue, depth = 0): unknown {
  if (!(value instanceof Error)) return value
  const cause = value.cause instanceof Error && depth < CAUSES_MAX ? value.cause : undefined
  return {
    name: value.name,
    message: value.message,
    stack: value.stack,
    ...(cause === undefined ? {} : { cause: toJsonValue(cause, depth + 1) }),
  }
}

// A client must not be able to forge lines or move the cursor of a terminal.
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu
const PLAIN = /^[\x21\x23-\x3c\x3e-\x7e]+$/
const CONTROL_CHAR = /[\p{Cc}\u2028\u2029]/gu

function escapeControls(text: string): string {
  if (PLAIN.test(text)) return text
  return JSON.stringify(text).replace(
    CONTROL_CHAR,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
