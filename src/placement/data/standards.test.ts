import { expect, test } from 'vitest'
import classes from './standard-classes.json' with { type: 'json' }
import traits from './standard-traits.json' with { type: 'json' }

test('the standard resource classes are the 21 that Placement has, in its order', () => {
  expect(classes).toEqual([
    'VCPU',
    'MEMORY_MB',
    'DISK_GB',
    'PCI_DEVICE',
    'SRIOV_NET_VF',
    'NUMA_SOCKET',
    'NUMA_CORE',
    'NUMA_THREAD',
    'NUMA_MEMORY_MB',
    'IPV4_ADDRESS',
    'VGPU',
    'VGPU_DISPLAY_HEAD',
    'NET_BW_EGR_KILOBIT_PER_SEC',
    'NET_BW_IGR_KILOBIT_PER_SEC',
    'PCPU',
    'MEM_ENCRYPTION_CONTEXT',
    'FPGA',
    'PGPU',
    'NET_PACKET_RATE_KILOPACKET_PER_SEC',
    'NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC',
    'NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC',
  ])
})

test('no standard trait is listed twice', () => {
  expect(traits.filter((name, at) => traits.indexOf(name) !== at)).toEqual([])
})

test('standard traits are well-formed, none is custom, and the one for sharing is among them', () => {
  expect(traits.filter(name => !/^[A-Z][A-Z0-9_]*$/.test(name) || name.startsWith('CUSTOM_'))).toEqual([])
  expect(traits).toContain('MISC_SHARES_VIA_AGGREGATE')
})
