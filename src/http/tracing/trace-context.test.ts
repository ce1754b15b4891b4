import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTraceContext, renderTraceParent, traceHeaders } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a traceparent is taken with its flag, and the state with it', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`
  expect(readTraceContext({ traceparent, tracestate: 'a=1, b@c=2' })).toEqual({
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
    state: 'a=1,b@c=2',
  })
  expect(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-02` })?.isSampled).toBe(false)
})

test.each([
  [undefined],
  [''],
  [`00-${TRACE}-${SPAN}`],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
  [`00-${'0'.repeat(32)}-${SPAN}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`ff-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-01-more`],
])('%s is no traceparent', traceparent => {
  expect(readTraceContext(traceparent === undefined ? {} : { traceparent })).toBeNull()
})

test('a later version of traceparent may say more', () => {
  expect(readTraceContext({ traceparent: `01-${TRACE}-${SPAN}-01-more` })?.traceId).toBe(TRACE)
})

test.each([
  'A=1',
  'a',
  'a=',
  'a=b=c',
  `a=${'x'.repeat(600)}`,
  'a=ä',
  Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','),
])('the state %s is left out, and the trace goes on', tracestate => {
  const context = readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate })
  expect(context).toMatchObject({ traceId: TRACE, state: '' })
  expect(traceHeaders(context!)).toEqual({ traceparent: `00-${TRACE}-${SPAN}-01` })
})

test('what is rendered is read as the same, and nothing else throws', () => {
  const hex = (digits: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).filter(text => !/^0+$/.test(text))
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
      const context = { traceId, spanId, isSampled, state: 'a=1' }
      expect(readTraceContext(traceHeaders(context))).toEqual(context)
      expect(renderTraceParent(context)).toHaveLength(55)
    }),
  )
  fc.assert(
    fc.property(fc.string(), fc.string(), (traceparent, tracestate) => {
      readTraceContext({ traceparent, tracestate })
    }),
  )
})
