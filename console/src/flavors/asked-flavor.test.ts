import { expect, test } from 'vitest'
import { askedFlavor } from './asked-flavor.ts'

test('hosts are counted for all of the disk: root, ephemeral and swap', () => {
  const flavor = {
    id: '1',
    name: 'm1',
    ram: 512,
    vcpus: 2,
    disk: 3,
    swap: 1024,
    rxtx_factor: 1,
    description: null,
    'OS-FLV-EXT-DATA:ephemeral': 40,
    'os-flavor-access:is_public': true,
    extra_specs: { a: '1' },
  }
  expect(askedFlavor(flavor, { a: '2' })).toEqual({
    name: 'm1',
    vcpus: 2,
    ram: 512,
    disk: 3,
    ephemeral: 40,
    swap: 1024,
    extra_specs: { a: '2' },
  })
})
