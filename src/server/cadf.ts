import type { Config } from '../config/keys.ts'
import { readPair } from '../config/pairs.ts'
import type { CadfEvent } from '../http/ops/cadf.ts'
import type { Log } from '../http/ops/log.ts'
import { LogFile } from '../http/ops/log-file.ts'
import type { Registry } from '../http/ops/metrics.ts'
import { type Delivery, type DeliveryObserver, DeliveryQueue } from '../http/outgoing/delivery-queue.ts'
import { HttpClient } from '../http/outgoing/http-client.ts'
import { postJson } from '../http/outgoing/post.ts'

/** Where audit events go. */
export interface CadfDelivery {
  emit(event: CadfEvent): void
  /** Delivers waiting events, and accepts no more. */
  close(msMax: number): Promise<void>
}

const BATCH_MAX = 100
/** How long an event waits, so that others can join its batch. */
const WEBHOOK_DELAY_MS = 200
const WEBHOOK_MS_MAX = 10_000

/** Null if neither file nor webhook is set. Throws LogFileRefused. */
export function startCadf(config: Config, metrics: Registry, log: Log): CadfDelivery | null {
  const { audit_cadf_file: path, audit_cadf_webhook: url } = config
  if (path === null && url === null) return null
  const counters = cadfMetrics(metrics)
  const queues = [
    ...(path === null ? [] : [newFileQueue(path, config, observe('file', counters, log))]),
    ...(url === null ? [] : [newWebhookQueue(url, config, observe('webhook', counters, log))]),
  ]
  return {
    emit(event) {
      for (const queue of queues) queue.add(event)
    },
    async close(msMax) {
      await Promise.all(queues.map(queue => queue.close(msMax)))
    },
  }
}

/** One event per line. Reopens a file that was moved. */
function newFileQueue(path: string, config: Config, observer: DeliveryObserver): DeliveryQueue<CadfEvent> {
  let failure = ''
  const fail = (text: string): void => {
    failure = text
  }
  const file = new LogFile(path, Date.now, fail, 'audit_cadf_file')
  return new DeliveryQueue<CadfEvent>({
    waitingMax: config.audit_cadf_queue_max,
    batchMax: BATCH_MAX,
    delayMs: 0,
    triesMax: Number.POSITIVE_INFINITY,
    observer,
    send: async (events): Promise<Delivery> => {
      failure = ''
      file.write(`${events.map(event => JSON.stringify(event)).join('\n')}\n`)
      return failure === '' ? { kind: 'delivered' } : { kind: 'again', why: `${path} cannot be written` }
    },
  })
}

function newWebhookQueue(url: string, config: Config, observer: DeliveryObserver): DeliveryQueue<CadfEvent> {
  const target = {
    client: new HttpClient({ authorities: null, isBlind: false }),
    url,
    headers: Object.fromEntries(config.audit_cadf_webhook_headers.map(readPair)),
    timeoutMs: WEBHOOK_MS_MAX,
  }
  return new DeliveryQueue<CadfEvent>({
    waitingMax: config.audit_cadf_queue_max,
    batchMax: BATCH_MAX,
    delayMs: WEBHOOK_DELAY_MS,
    triesMax: Number.POSITIVE_INFINITY,
    observer,
    send: async events => (await postJson(target, JSON.stringify({ events }))).delivery,
  })
}

interface CadfCounters {
  delivered(to: string, events: number): void
  lost(to: string, reason: string, events: number): void
}

export function cadfMetrics(registry: Registry): CadfCounters {
  const delivered = registry.counter('berth_cadf_events_delivered_total', 'Audit events handed over.', ['to'])
  const lost = registry.counter(
    'berth_cadf_events_lost_total',
    'Audit events that were lost: the queue was full, the receiver refused them, or the server stopped.',
    ['to', 'reason'],
  )
  return {
    delivered: (to, events) => delivered.add([to], events),
    lost: (to, reason, events) => lost.add([to, reason], events),
  }
}

const observe = (to: 'file' | 'webhook', counters: CadfCounters, log: Log): DeliveryObserver => ({
  delivered: events => counters.delivered(to, events),
  lost: (events, reason) => counters.lost(to, reason, events),
  failing: reason => log.error('audit events cannot be handed over', { to, reason }),
  works: () => log.info('audit events are handed over again', { to }),
})
