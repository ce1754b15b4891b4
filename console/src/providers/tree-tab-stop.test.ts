import { expect, test } from 'vitest'
import type { TreeNode } from './provider-tree.tsx'
import { treeTabStop } from './tree-tab-stop.ts'

const node = (uuid: string, ...children: TreeNode[]): TreeNode => ({ uuid, name: uuid, children })
const roots = [node('host', node('numa0', node('gpu')), node('numa1'))]
const stop = (seen: readonly string[], ...wanted: (string | null)[]) =>
  treeTabStop(roots, new Set(seen), wanted)

test('the keyboard enters a tree where it was, or at what is selected, or at the top', () => {
  const all = ['host', 'numa0', 'gpu', 'numa1']
  expect(stop(all, 'numa1', 'gpu')).toBe('numa1')
  expect(stop(all, null, 'gpu')).toBe('gpu')
  expect(stop(all, null, null)).toBe('host')
  expect(stop(all, 'gone', 'gone too')).toBe('host')
})

test('if that is inside something closed, at the nearest that is seen above it', () => {
  expect(stop(['host', 'numa0', 'numa1'], null, 'gpu')).toBe('numa0')
  expect(stop(['host'], 'gpu', 'numa1')).toBe('host')
})
