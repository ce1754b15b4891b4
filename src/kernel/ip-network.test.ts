import { BlockList, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameNetwork, parseIpNetwork, renderNetwork } from './ip-network.ts'

const read = (text: string, allowsIpv6 = true): string => {
  const network = parseIpNetwork(text, allowsIpv6)
  return 'fault' in network ? network.fault : renderNetwork(network)
}

describe('parseIpNetwork', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.0/08', '10.0.0.0/08'.replace('08', '8')],
    ['10.0.0.0/255.255.255.0', '10.0.0.0/24'],
    ['10.0.1.0/0.0.0.255', '10.0.1.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['FD00:1::/32', 'fd00:1::/32'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:10.0.0.77', '::ffff:a00:4d'],
    ['::/0', '::/0'],
  ])('reads %s as %s', (text, shown) => {
    expect(read(text)).toBe(shown)
  })

  test.each([
    ['10.0.0.300', "Octet 300 (> 255) not permitted in '10.0.0.300'"],
    ['10.0.0', "Expected 4 octets in '10.0.0'"],
    ['10.0.0.0/33', "'33' is not a valid netmask"],
    ['010.0.0.1', "Leading zeros are not permitted in '010' in '010.0.0.1'"],
    ['a.b.c.d', "Only decimal digits permitted in 'a' in 'a.b.c.d'"],
    ['', 'Address cannot be empty'],
    ['10.0.0.0/8/9', "Only one '/' permitted in '10.0.0.0/8/9'"],
    ['1000.1.1.1', "At most 3 characters permitted in '1000' in '1000.1.1.1'"],
    ['10..0.1', "Empty octet not permitted in '10..0.1'"],
    ['10.0.0.0/255.0.255.0', "'255.0.255.0' is not a valid netmask"],
    ['10.0.0.1/24', '10.0.0.1/24 has host bits set'],
  ])('of IPv4 alone says about %s what Python says', (text, fault) => {
    expect(read(text, false)).toBe(fault)
  })

  test.each(['fe80::1%eth0', 'fd00::/129', 'fd00::1::2', '1:2:3:4:5:6:7:8::', ':1::', '*', ' 10.0.0.1'])(
    'refuses %s',
    text => {
      expect(read(text)).toBe(`'${text}' does not appear to be an IPv4 or IPv6 network`)
    },
  )

  test('takes the addresses that Node takes, and what it renders is the same network', () => {
    const group = fc.constantFrom('', '0', '1', 'ffff', '00a0', '10.0.0.1', 'g', '12345')
    const address = fc.array(group, { minLength: 1, maxLength: 9 }).map(groups => groups.join(':'))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV6(),
          address.filter(text => text.includes(':')),
        ),
        text => {
          const network = parseIpNetwork(text)
          expect('fault' in network).toBe(!isIPv6(text))
          if ('fault' in network) return
          const again = parseIpNetwork(renderNetwork(network))
          expect('fault' in again ? again : isSameNetwork(again, network)).toBe(true)
          const list = new BlockList()
          list.addAddress(text, 'ipv6')
          expect(list.check(renderNetwork(network), 'ipv6')).toBe(true)
        },
      ),
    )
  })
})
