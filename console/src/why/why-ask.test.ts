import { describe, expect, test } from 'vitest'
import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import { addressOf, askOf } from './why-ask.ts'

const ask = (query: string) => askOf(new URLSearchParams(query))

describe('the request in the address', () => {
  test('has hints, image and server group as the command line has them', () => {
    const image = encodeURIComponent('hw_architecture=x86_64\nhw_cpu_threads=2\n')
    expect(
      ask(`flavor=m1&zone=a&group=g&near=u1,+u2&away=u3&query=[">",1]&disk=volume&image=${image}`),
    ).toEqual({
      flavor: 'm1',
      zone: 'a',
      server_group: 'g',
      hints: { same_host: ['u1', 'u2'], different_host: ['u3'], query: ['>', 1] },
      volume_backed: true,
      image: { properties: { hw_architecture: 'x86_64', hw_cpu_threads: 2 } },
    })
  })

  test('of a server is its move, which keeps the group', () => {
    expect(ask('server=u1&host=h&group=g')).toEqual({ instance: 'u1', host: 'h' })
  })

  test('without flavor and server there is none', () => {
    expect(ask('zone=a')).toBeNull()
    expect(ask('flavor=+')).toBeNull()
  })
})

test('a decision leads to the form with the same request', () => {
  const asked = {
    instances: ['u1'],
    names: {},
    flavor: 'm1',
    zone: 'a',
    host: null,
    server_group: 'g',
    hints: { same_host: ['u2'], query: ['>', 1] },
    image: { hw_architecture: 'x86_64' },
    volume_backed: false,
    gigabytes: null,
    query: null,
  }
  const decision = (kind: string) => ({ kind, asked }) as unknown as DecisionDetail
  const params = new URLSearchParams(addressOf(decision('schedule'))?.replace('/why?', ''))
  expect(askOf(params)).toEqual({
    flavor: 'm1',
    zone: 'a',
    server_group: 'g',
    hints: { same_host: ['u2'], query: ['>', 1] },
    image: { properties: { hw_architecture: 'x86_64' } },
  })
  expect(addressOf(decision('move'))).toMatch(/^\/why\?server=u1&zone=a&near=u2/)
  expect(addressOf(decision('claim'))).toBeNull()
})
