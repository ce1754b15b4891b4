import type { Command } from 'commander'
import type { WholeProvider } from '../../../wire/fleet.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { amountPhrases } from '../../render/inventories.ts'
import { byName } from '../../render/table.ts'
import { type TreeNode, trees } from '../../render/tree.ts'
import { findProvider } from './providers-by-name.ts'
import { wholeProviders } from './whole-providers.ts'

export function describeProviderTree(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Draws the tree that a provider is in, or all trees: for each provider its inventories as used/total, ' +
      'and its traits.',
    json:
      'An array of trees: what `provider show` prints, with "children", an array of the same, on each\n' +
      'provider.',
    examples: ['berth provider tree', 'berth provider tree compute-1'],
  }).argument('[provider]', 'Any provider of the tree, by uuid or name.')
  whenRun(command, around, end, async (session, _options, text: string | undefined) => {
    const inTree = text === undefined ? null : await findProvider(await session.placement(), text)
    const roots = nest(await wholeProviders(session, inTree?.uuid ?? null))
    session.print(roots, look => trees(roots.map(toTreeNode), look))
    if (roots.length === 0) session.remark('no provider')
  })
}

interface Nested extends WholeProvider {
  readonly children: Nested[]
}

/** Children below their parents, sorted by name. */
function nest(providers: readonly WholeProvider[]): Nested[] {
  const all = new Map(
    providers
      .toSorted(byName)
      .map(provider => [provider.uuid, { ...provider, children: [] as Nested[] }] as const),
  )
  const roots: Nested[] = []
  for (const provider of all.values()) {
    const parent = provider.parent_provider_uuid === null ? undefined : all.get(provider.parent_provider_uuid)
    // A provider whose parent was deleted during the read is drawn as a root, so that it is not lost.
    const siblings = parent === undefined ? roots : parent.children
    siblings.push(provider)
  }
  return roots
}

function toTreeNode(provider: Nested): TreeNode {
  const { name, uuid, traits } = provider
  return {
    name,
    aside: uuid,
    details: [
      { phrases: amountPhrases(provider), between: '  ' },
      { phrases: traits.map((trait, at) => (at === 0 ? `traits ${trait}` : trait)), between: ', ' },
    ],
    children: provider.children.map(toTreeNode),
  }
}
