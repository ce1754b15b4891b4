import type { TreeNode } from './provider-tree.tsx'

/** Where Tab enters a tree: the first of these that is visible, or its nearest visible ancestor, or the top. */
export function treeTabStop(
  roots: readonly TreeNode[],
  seen: ReadonlySet<string>,
  wanted: readonly (string | null)[],
): string | null {
  const parents = new Map(roots.flatMap(root => [...parentsIn(root, null)]))
  for (const one of wanted)
    for (let at = one; at !== null; at = parents.get(at) ?? null) if (seen.has(at)) return at
  return roots[0]?.uuid ?? null
}

function* parentsIn(node: TreeNode, parent: string | null): Generator<[uuid: string, parent: string | null]> {
  yield [node.uuid, parent]
  for (const child of node.children) yield* parentsIn(child, node.uuid)
}
