import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from '../../kernel/assert.ts'

/**
 * A small registry in the Prometheus text format, version 0.0.4. A metric has a fixed list of label names;
 * each combination of label values is a series, made when it is first used.
 */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** The value of one series. */
export interface Sample {
  readonly labels: readonly string[]
  readonly value: number
}

/** What a gauge's callback reports: one number, or one per combination of label values. */
export type GaugeReading = number | readonly Sample[]

type MetricType = 'counter' | 'gauge' | 'histogram'

export interface MetricDescription {
  readonly name: string
  readonly type: MetricType
  readonly help: string
  readonly labelNames: readonly string[]
}

interface Metric {
  readonly about: MetricDescription
  write(lines: string[]): void
}

/** Lines of a long gauge that are written in one turn of the event loop. */
const LINES_PER_PIECE = 500

export class Registry {
  readonly #metrics = new Map<string, Metric>()
  readonly #long = new Map<string, LongGauge>()

  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return this.#add(name, new Counter(name, help, labelNames))
  }

  /** Calls back at every scrape, so the value needs no upkeep. */
  gauge(name: string, help: string, read: () => GaugeReading, labelNames: readonly string[] = []): void {
    this.#add(name, new Gauge(describe(name, 'gauge', help, labelNames), read))
  }

  /** A counter that other code keeps. */
  readCounter(
    name: string,
    help: string,
    read: () => GaugeReading,
    labelNames: readonly string[] = [],
  ): void {
    this.#add(name, new Gauge(describe(name, 'counter', help, labelNames), read))
  }

  /** A gauge with so many series that a scrape reads them in slices; it may or may not have what changes meanwhile. */
  longGauge(name: string, help: string, read: () => Iterable<Sample>, labelNames: readonly string[]): void {
    this.#check(name)
    this.#long.set(name, new LongGauge(describe(name, 'gauge', help, labelNames), read))
  }

  histogram(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    buckets: readonly number[] = SECONDS_BUCKETS,
  ): Histogram {
    return this.#add(name, new Histogram(name, help, labelNames, buckets))
  }

  /** Every metric, in the order of the text. */
  get descriptions(): MetricDescription[] {
    return [...this.#metrics.values(), ...this.#long.values()].map(({ about }) => about)
  }

  get hasLongGauges(): boolean {
    return this.#long.size > 0
  }

  /** All metrics but the long ones, read at one moment. */
  render(): string {
    const lines: string[] = []
    for (const metric of this.#metrics.values()) metric.write(lines)
    lines.push('')
    return lines.join('\n')
  }

  /** The whole text: that of `text`, then the long gauges, with turns for other requests in between. */
  async *pieces(): AsyncGenerator<string> {
    yield this.render()
    for (const gauge of this.#long.values()) {
      let lines: string[] = []
      for (const line of gauge.lines()) {
        if (lines.push(line) < LINES_PER_PIECE) continue
        yield joinLines(lines)
        lines = []
        await nextTurn()
      }
      yield joinLines(lines)
      await nextTurn()
    }
  }

  #add<M extends Metric>(name: string, metric: M): M {
    this.#check(name)
    this.#metrics.set(name, metric)
    return metric
  }

  #check(name: string): void {
    assert(METRIC_NAME.test(name), () => `metric name ${name}`)
    assert(!this.#metrics.has(name) && !this.#long.has(name), () => `metric ${name} registered twice`)
  }
}

const joinLines = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')

const describe = (
  name: string,
  type: MetricType,
  help: string,
  labelNames: readonly string[],
): MetricDescription => ({ name, type, help, labelNames })

/** From half a millisecond, because most answers take less than one. */
const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The series of one metric by their label values. */
class Series<S> {
  readonly #labelNames: readonly string[]
  readonly #create: () => S
  readonly #byKey = new Map<string, { readonly labels: string; readonly state: S }>()

  constructor(labelNames: readonly string[], create: () => S) {
    for (const name of labelNames) assert(LABEL_NAME.test(name), () => `label name ${name}`)
    this.#labelNames = labelNames
    this.#create = create
  }

  of(values: readonly string[]): S {
    const key = values.length === 1 ? (values[0] as string) : values.join('\u0000')
    let found = this.#byKey.get(key)
    if (found === undefined) {
      found = { labels: labelText(this.#labelNames, values), state: this.#create() }
      this.#byKey.set(key, found)
    }
    return found.state
  }

  values(): Iterable<{ readonly labels: string; readonly state: S }> {
    return this.#byKey.values()
  }
}

class Counter implements Metric {
  readonly about: MetricDescription
  readonly #series: Series<{ value: number }>

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.about = describe(name, 'counter', help, labelNames)
    this.#series = new Series(labelNames, () => ({ value: 0 }))
    if (labelNames.length === 0) this.#series.of([])
  }

  add(labels: readonly string[] = [], by = 1): void {
    assert(by >= 0, () => `counter ${this.about.name} cannot fall`)
    this.#series.of(labels).value += by
  }

  write(lines: string[]): void {
    writeHead(lines, this.about)
    for (const { labels, state } of this.#series.values())
      lines.push(`${this.about.name}${wrapLabels(labels)} ${renderNumber(state.value)}`)
  }
}

class Gauge implements Metric {
  readonly about: MetricDescription
  readonly #read: () => GaugeReading

  constructor(about: MetricDescription, read: () => GaugeReading) {
    this.about = about
    this.#read = read
  }

  write(lines: string[]): void {
    writeHead(lines, this.about)
    const reading = this.#read()
    const all = typeof reading === 'number' ? [{ labels: [], value: reading }] : reading
    for (const sample of all) lines.push(sampleLine(this.about, sample))
  }
}

class LongGauge {
  readonly about: MetricDescription
  readonly #read: () => Iterable<Sample>

  constructor(about: MetricDescription, read: () => Iterable<Sample>) {
    this.about = about
    this.#read = read
  }

  *lines(): Generator<string> {
    const head: string[] = []
    writeHead(head, this.about)
    yield* head
    for (const sample of this.#read()) yield sampleLine(this.about, sample)
  }
}

const sampleLine = ({ name, labelNames }: MetricDescription, { labels, value }: Sample): string =>
  `${name}${wrapLabels(labelText(labelNames, labels))} ${renderNumber(value)}`

class Histogram implements Metric {
  readonly about: MetricDescription
  readonly #buckets: readonly number[]
  readonly #series: Series<{ readonly counts: Float64Array; sum: number }>

  constructor(name: string, help: string, labelNames: readonly string[], buckets: readonly number[]) {
    for (let at = 1; at < buckets.length; at++)
      assert((buckets[at - 1] as number) < (buckets[at] as number), () => `buckets of ${name} must rise`)
    this.about = describe(name, 'histogram', help, labelNames)
    this.#buckets = buckets
    this.#series = new Series(labelNames, () => ({ counts: new Float64Array(buckets.length + 1), sum: 0 }))
  }

  observe(labels: readonly string[], value: number): void {
    const series = this.#series.of(labels)
    const buckets = this.#buckets
    let at = 0
    while (at < buckets.length && value > (buckets[at] as number)) at++
    series.counts[at] = (series.counts[at] as number) + 1
    series.sum += value
  }

  write(lines: string[]): void {
    const { name } = this.about
    writeHead(lines, this.about)
    for (const { labels, state } of this.#series.values()) {
      const separator = labels === '' ? '' : ','
      let below = 0
      for (let at = 0; at < state.counts.length; at++) {
        below += state.counts[at] as number
        const bound = at < this.#buckets.length ? renderNumber(this.#buckets[at] as number) : '+Inf'
        lines.push(`${name}_bucket{${labels}${separator}le="${bound}"} ${below}`)
      }
      lines.push(`${name}_sum${wrapLabels(labels)} ${renderNumber(state.sum)}`)
      lines.push(`${name}_count${wrapLabels(labels)} ${below}`)
    }
  }
}

function writeHead(lines: string[], { name, help, type }: MetricDescription): void {
  lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`)
  lines.push(`# TYPE ${name} ${type}`)
}

const wrapLabels = (labels: string): string => (labels === '' ? '' : `{${labels}}`)

function labelText(names: readonly string[], values: readonly string[]): string {
  assert(names.length === values.length, () => `labels ${names.join(',')} got ${values.length} values`)
  return names.map((name, at) => `${name}="${escapeLabel(values[at] as string)}"`).join(',')
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function renderNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}

/** What every HTTP service reports. Routes are labelled by their declaration, so series stay few. */
export class HttpMetrics {
  readonly #requests: Counter
  readonly #seconds: Histogram
  readonly #refused: Counter
  #inFlight = 0

  constructor(registry: Registry) {
    this.#requests = registry.counter('berth_http_requests_total', 'HTTP requests answered.', [
      'service',
      'method',
      'route',
      'status',
    ])
    this.#seconds = registry.histogram(
      'berth_http_request_seconds',
      'Time from a request until the last byte of its answer is handed to the socket.',
      ['service', 'route'],
    )
    this.#refused = registry.counter(
      'berth_requests_refused_total',
      'Requests answered with an error, by error code, or by status if there is no code.',
      ['service', 'reason'],
    )
    registry.gauge('berth_http_requests_in_flight', 'HTTP requests in progress.', () => this.#inFlight)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  countStart(): void {
    this.#inFlight++
  }

  refused(service: string, reason: string): void {
    this.#refused.add([service, reason])
  }

  countEnd(service: string, method: string, route: string, status: number, seconds: number): void {
    this.#inFlight--
    this.#requests.add([service, method, route, String(status)])
    this.#seconds.observe([service, route], seconds)
  }
}
