import type { TraceContext } from './trace-context.ts'

type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio'

/** Whether a trace is recorded; `parent` is that of the caller. */
export type Sampler = (traceId: string, parent: TraceContext | null) => boolean

const PARENT_BASED = 'parentbased_'
/** The ratio is compared with the last 52 bits of the trace id, which are random in every trace id and exact in a number. */
const RANDOM_DIGITS = 13
const RANDOM_VALUES = 16 ** RANDOM_DIGITS

export function makeSampler(name: SamplerName, ratio: number): Sampler {
  const own = name.startsWith(PARENT_BASED) ? name.slice(PARENT_BASED.length) : name
  const decide = (traceId: string): boolean =>
    own === 'always_on' || (own === 'traceidratio' && isBelow(traceId, ratio))
  if (own === name) return decide
  return (traceId, parent) => (parent === null ? decide(traceId) : parent.isSampled)
}

const isBelow = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < ratio * RANDOM_VALUES
