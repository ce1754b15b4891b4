/** Any-traits: what the document on `required=in:A,B` says, sentence by sentence. */
import { expect, test } from 'vitest'
import { candidates, search } from '../../../test/candidate-query.ts'
import { SmallCloud } from '../../../test/small-cloud.ts'
import { Query } from '../../http/request/query.ts'
import { filterProviders } from '../providers/provider-filters.ts'
import { parseTraits } from '../query-parts.ts'
import { featuresOf } from '../versions.ts'
import { parseCandidateRequest } from './candidates.query.ts'

const T1 = 'CUSTOM_T1'
const T2 = 'CUSTOM_T2'
const T3 = 'CUSTOM_T3'

/** Two hosts with two network devices each, connected to different physical networks. */
function network(): SmallCloud {
  const cloud = new SmallCloud()
  for (const trait of [T1, T2, T3]) cloud.do('placement:ensure-trait', { name: trait })
  return cloud
    .add('host1', { has: { VCPU: 8 } })
    .add('nic1a', { parent: 'host1', has: { SRIOV_NET_VF: 4 }, traits: [T1] })
    .add('nic1b', { parent: 'host1', has: { SRIOV_NET_VF: 4 }, traits: [T3] })
    .add('host2', { has: { VCPU: 8 } })
    .add('nic2a', { parent: 'host2', has: { SRIOV_NET_VF: 4 }, traits: [T2] })
    .add('nic2b', { parent: 'host2', has: { SRIOV_NET_VF: 4 } })
}

function providersWith(cloud: SmallCloud, text: string): string[] {
  const traits = parseTraits(Query.parse(text)!, '', featuresOf(39))
  const found = filterProviders(cloud.world, {
    name: null,
    uuid: null,
    inTree: null,
    memberOf: [],
    forbiddenAggregates: [],
    resources: new Map(),
    ...traits,
  })
  return found.kind === 'found' ? found.providers.map(slot => cloud.name(slot)).sort() : [found.kind]
}

test('each resource provider returned for required=in:T1,T2 has at least one of T1 and T2', () => {
  expect(providersWith(network(), `required=in:${T1},${T2}`)).toEqual(['nic1a', 'nic2a'])
})

test('the union of the traits of all providers of a candidate must hold at least one of T1, T2', () => {
  expect(candidates(network(), 39, `resources=VCPU:1,SRIOV_NET_VF:1&required=in:${T1},${T2}`)).toEqual([
    'host1 VCPU:1 + nic1a SRIOV_NET_VF:1',
    'host2 VCPU:1 + nic2a SRIOV_NET_VF:1',
  ])
})

test('for a granular group it is the provider of that group that must have one of them', () => {
  const cloud = network()
  expect(
    candidates(cloud, 39, `resources=VCPU:1&resources1=SRIOV_NET_VF:1&required1=in:${T1},${T3}`),
  ).toEqual(['host1 VCPU:1 + nic1a SRIOV_NET_VF:1', 'host1 VCPU:1 + nic1b SRIOV_NET_VF:1'])
  expect(
    candidates(
      cloud,
      39,
      `resources1=VCPU:1&resources2=SRIOV_NET_VF:1&required1=in:${T1},${T2}&group_policy=none`,
    ),
  ).toEqual([])
})

test('repeated required parameters must all be met', () => {
  const cloud = network().add('nic3', { parent: 'host1', has: { SRIOV_NET_VF: 4 }, traits: [T1, T3] })
  expect(candidates(cloud, 39, `resources=SRIOV_NET_VF:1&required=in:${T1},${T2}&required=${T3}`)).toEqual([
    'nic3 SRIOV_NET_VF:1',
  ])
  expect(providersWith(cloud, `required=in:${T1},${T2}&required=in:${T3},${T2}`)).toEqual(['nic2a', 'nic3'])
})

test('forbidden traits may stand beside it in a parameter of their own', () => {
  expect(
    candidates(network(), 39, `resources=SRIOV_NET_VF:1&required=in:${T1},${T2}&required=!${T2}`),
  ).toEqual(['nic1a SRIOV_NET_VF:1'])
})

test.each([
  [
    'mixing in: with a forbidden trait is refused',
    `required=in:${T1},!${T2}`,
    /does not support forbidden traits/,
  ],
  ['an empty item is refused', `required=in:${T1},`, /empty trait/],
  [
    'a group whose every alternative is forbidden is refused',
    `required=in:${T1},${T2}&required=!${T1},!${T2}`,
    /Conflicting/,
  ],
])('%s', (_, text, message) => {
  const query = Query.parse(`resources=VCPU:1&${text}`)!
  expect(() => parseCandidateRequest(query, featuresOf(39), 10)).toThrow(message)
})

test('before 1.39 in: is refused and of repeated parameters the last counts', () => {
  const old = featuresOf(38)
  expect(() => parseCandidateRequest(Query.parse(`resources=VCPU:1&required=in:${T1}`)!, old, 10)).toThrow(
    /only supported since microversion 1.39/,
  )
  expect(candidates(network(), 38, `resources=SRIOV_NET_VF:1&required=${T1}&required=${T2}`)).toEqual([
    'nic2a SRIOV_NET_VF:1',
  ])
})

test('1.40: root_required=in: wants one of the traits on the root', () => {
  const hosts = () =>
    new SmallCloud()
      .add('a', { has: { VCPU: 1 }, traits: ['CUSTOM_A'] })
      .add('b', { has: { VCPU: 1 }, traits: ['CUSTOM_B', 'CUSTOM_D'] })
      .add('c', { has: { VCPU: 1 }, traits: ['CUSTOM_C'] })
  const asked = (root: string) => candidates(hosts(), 40, `resources=VCPU:1&${root}`)
  expect(asked('root_required=in:CUSTOM_A,CUSTOM_B')).toEqual(['a VCPU:1', 'b VCPU:1'])
  expect(asked('root_required=in:CUSTOM_A,CUSTOM_B&root_required=!CUSTOM_D')).toEqual(['a VCPU:1'])
  expect(asked('root_required=in:CUSTOM_A,CUSTOM_B&root_required=in:CUSTOM_C,CUSTOM_D')).toEqual(['b VCPU:1'])
  expect(() => asked('root_required=in:CUSTOM_A,CUSTOM_NOPE')).toThrow(/unknown-trait.*CUSTOM_NOPE/)
  expect(() => asked('root_required=in:CUSTOM_A,!CUSTOM_B')).toThrow(/does not support forbidden traits/)
  expect(() => asked('root_required=in:')).toThrow(/empty trait/)
  expect(() => asked('root_required=in:CUSTOM_A&root_required=!CUSTOM_A')).toThrow(/Conflicting .*: CUSTOM_A/)
})

test.each([35, 38, 39])('1.%i: root_required=in: is refused with the version that has it', minor => {
  const asked = () => candidates(network(), minor, 'resources=VCPU:1&root_required=in:CUSTOM_A,CUSTOM_B')
  expect(asked).toThrow(
    /only supported in root_required since microversion 1\.40\. Got: in:CUSTOM_A,CUSTOM_B/,
  )
  expect(asked).not.toThrow(/1\.39/)
})

test('an unknown trait is refused by name', () => {
  expect(() => search(network(), 39, 'resources=VCPU:1&required=in:CUSTOM_T1,CUSTOM_NOPE')).toThrow(
    /unknown-trait.*CUSTOM_NOPE/,
  )
})
