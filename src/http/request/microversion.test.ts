import { expect, test } from 'vitest'
import { negotiate, parseRange } from './microversion.ts'

const range = parseRange('1.0', '1.40')
const ask = (header: string | undefined) => negotiate(header, 'placement', range)
const agreed = (minor: number) => ({ kind: 'agreed', minor })

test('no header, another service only, or a service without a version mean the oldest', () => {
  for (const header of [undefined, '', 'compute 2.1', 'placement', 'placement,', ' , '])
    expect(ask(header), String(header)).toEqual(agreed(0))
})

test('latest is the newest, but only spelled so', () => {
  expect(ask('placement latest')).toEqual(agreed(40))
  expect(ask('placement LATEST').kind).toBe('malformed')
})

test('our entry is found among other services, without minding case, and the last one counts', () => {
  expect(ask('placement 1.5, compute 2.1')).toEqual(agreed(5))
  expect(ask('compute 2.90,Placement   1.7')).toEqual(agreed(7))
  expect(ask('placement 1.5, placement 1.6')).toEqual(agreed(6))
  expect(ask('placementx 1.5')).toEqual(agreed(0))
})

test('numbers are read as Python reads them', () => {
  expect(ask('placement 01.+5')).toEqual(agreed(5))
  expect(ask('placement 1 . 1_0')).toEqual(agreed(10))
  expect(ask('placement 1.-0')).toEqual(agreed(0))
})

test('a version we do not have is not acceptable', () => {
  for (const asked of ['0.5', '1.41', '2.0', '1.-5', '1.99999999999999999999'])
    expect(ask(`placement ${asked}`)).toEqual({ kind: 'not-acceptable', asked })
})

test('what is no version is malformed', () => {
  for (const asked of ['1.2.3', 'pony.horse', '1', '1.', '.', '1.0x', 'latest x', '1.1__0'])
    expect(ask(`placement ${asked}`)).toEqual({ kind: 'malformed', asked })
})

test('a service may start above minor 0', () => {
  const compute = parseRange('2.1', '2.96')
  expect(negotiate(undefined, 'compute', compute)).toEqual(agreed(1))
  expect(negotiate('compute 2.0', 'compute', compute).kind).toBe('not-acceptable')
})

test('an older header counts where the other says nothing about the service', () => {
  const range = parseRange('2.1', '2.93')
  const agreed = (minor: number) => ({ kind: 'agreed', minor })
  expect(negotiate(undefined, 'compute', range, '2.7')).toEqual(agreed(7))
  expect(negotiate('placement 1.3', 'compute', range, ' 2.7 ')).toEqual(agreed(7))
  expect(negotiate('compute 2.8', 'compute', range, '2.7')).toEqual(agreed(8))
  expect(negotiate(undefined, 'compute', range, 'latest')).toEqual(agreed(93))
  expect(negotiate(undefined, 'compute', range, 'x')).toEqual({ kind: 'malformed', asked: 'x' })
})
