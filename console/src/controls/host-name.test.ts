import { expect, test } from 'vitest'
import { cutMiddle, domainOf, withoutDomain } from './host-name.ts'

test.each([
  [['a.example.org', 'b.example.org'], '.example.org'],
  [['a.rack1.example.org', 'a.rack2.example.org'], '.example.org'],
  [['a.x.org', 'b.y.org', 'ceph-a'], '.org'],
  [['a.example.org', 'b.other.net'], ''],
  [['a.example.org'], ''],
  [['gp-a1-01', 'gp-a1-02'], ''],
  [['a.example.org', 'b.example.org', 'a'], ''],
  [['a.example.org', 'example.org'], '.org'],
  [['.example.org', 'b.example.org'], ''],
])('the domain of %j is %j', (names, domain) => {
  expect(domainOf(names)).toBe(domain)
})

test('names stay apart without their domain', () => {
  expect(withoutDomain('a.example.org', '.example.org')).toBe('a')
  expect(withoutDomain('ceph-a', '.example.org')).toBe('ceph-a')
})

test('a long name keeps its start and its end', () => {
  expect(cutMiddle('compute-0001', 12)).toBe('compute-0001')
  expect(cutMiddle('compute-prod-0001', 12)).toBe('comput…-0001')
  expect(cutMiddle('compute-prod-0001', 12)).toHaveLength(12)
})
