import { expect, test } from 'vitest'
import { plainLook } from './table.ts'
import { filled, type TreeNode, trees } from './tree.ts'

const node = (name: string, phrases: string[] = [], children: TreeNode[] = []): TreeNode => ({
  name,
  aside: `uuid-of-${name}`,
  details: [{ phrases, between: '  ' }],
  children,
})

const cloud = [
  node(
    'compute-1',
    ['DISK_GB 0/1000'],
    [
      node('numa-0', ['VCPU 4/16', 'MEMORY_MB 0/1024'], [node('nic', ['SRIOV_NET_VF 1/8'])]),
      node('numa-1', ['VCPU 0/16']),
    ],
  ),
  node('nfs'),
]

test('trees are drawn with their details', () => {
  expect(trees(cloud, plainLook)).toBe(`compute-1  uuid-of-compute-1
│  DISK_GB 0/1000
├─ numa-0  uuid-of-numa-0
│  │  VCPU 4/16  MEMORY_MB 0/1024
│  └─ nic  uuid-of-nic
│        SRIOV_NET_VF 1/8
└─ numa-1  uuid-of-numa-1
      VCPU 0/16
nfs  uuid-of-nfs
`)
})

test('details are broken between phrases to fit', () => {
  const drawn = trees(cloud, { ...plainLook, width: 24 })
  expect(drawn).toContain('│  │  VCPU 4/16\n│  │  MEMORY_MB 0/1024\n')
})

test('a comma stays at the end of its line, and a long phrase has a line alone', () => {
  expect(filled({ phrases: ['a', 'bb', 'c'.repeat(9), 'd'], between: ', ' }, 6)).toEqual([
    'a, bb,',
    'ccccccccc,',
    'd',
  ])
})
