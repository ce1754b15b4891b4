import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import { Icon } from '../controls/icons.tsx'
import type { Provider } from '../fleet/fleet.ts'
import styles from './provider-tree.module.css'
import { treeTabStop } from './tree-tab-stop.ts'

export interface TreeNode {
  readonly uuid: string
  readonly name: string
  readonly children: readonly TreeNode[]
}

interface Shown {
  readonly node: TreeNode
  readonly level: number
  readonly parent: string | null
}

/** A tree by the ARIA practices: arrows move, open and close; Enter chooses. */
export function ProviderTree({
  roots,
  label,
  selected,
  onSelect,
  aside,
}: {
  readonly roots: readonly TreeNode[]
  readonly label: string
  readonly selected?: string | null
  readonly onSelect: (uuid: string) => void
  readonly aside?: (uuid: string) => ReactNode
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(() => roots.flatMap(root => [...visible(root, 1, null, closed)]), [roots, closed])
  const [active, setActive] = useState<string | null>(null)
  const current = useMemo(
    () => treeTabStop(roots, new Set(shown.map(({ node }) => node.uuid)), [active, selected ?? null]),
    [roots, shown, active, selected],
  )
  const named = new Map(shown.map(({ node, parent }) => [node.uuid, { name: node.name, parent }]))
  const above = (uuid: string): string[] => {
    const parent = named.get(uuid)?.parent ?? null
    return parent === null ? [] : [named.get(parent)?.name ?? '', ...above(parent)]
  }
  const list = useRef<HTMLDivElement>(null)
  const focus = (uuid: string | null | undefined) => {
    if (uuid === null || uuid === undefined) return
    setActive(uuid)
    list.current?.querySelector<HTMLElement>(`[data-uuid="${uuid}"]`)?.focus()
  }
  const toggle = (uuid: string, isClosed: boolean) =>
    setClosed(before => {
      const after = new Set(before)
      if (isClosed) after.add(uuid)
      else after.delete(uuid)
      return after
    })
  const onKeyDown = (event: KeyboardEvent) => {
    const act = actOf(event.key, shown, current, closed, { focus, toggle, choose: onSelect })
    if (act === null) return
    event.preventDefault()
    act()
  }
  return (
    <div role="tree" aria-label={label} className={styles.tree} ref={list} onKeyDown={onKeyDown}>
      {shown.map(({ node, level }) => (
        <div
          key={node.uuid}
          role="treeitem"
          aria-level={level}
          aria-selected={node.uuid === selected}
          {...(node.children.length === 0 ? {} : { 'aria-expanded': !closed.has(node.uuid) })}
          tabIndex={node.uuid === current ? 0 : -1}
          data-uuid={node.uuid}
          className={styles.item}
          style={{ '--level': level - 1 } as React.CSSProperties}
          onClick={() => {
            setActive(node.uuid)
            onSelect(node.uuid)
          }}
        >
          <span
            className={styles.twist}
            onClick={event => {
              if (node.children.length === 0) return
              event.stopPropagation()
              toggle(node.uuid, !closed.has(node.uuid))
            }}
          >
            {node.children.length > 0 && <Icon name="right" size={11} />}
          </span>
          <span className={styles.name} title={node.name}>
            <ShortName name={node.name} above={above(node.uuid)} />
          </span>
          {aside !== undefined && <span className={styles.aside}>{aside(node.uuid)}</span>}
        </div>
      ))}
    </div>
  )
}

interface Acts {
  focus(uuid: string | null | undefined): void
  toggle(uuid: string, isClosed: boolean): void
  choose(uuid: string): void
}

function actOf(
  key: string,
  shown: readonly Shown[],
  current: string | null,
  closed: ReadonlySet<string>,
  { focus, toggle, choose }: Acts,
): (() => void) | null {
  const at = shown.findIndex(({ node }) => node.uuid === current)
  const here = shown[at]
  if (here === undefined) return null
  const { uuid, children } = here.node
  const isOpen = children.length > 0 && !closed.has(uuid)
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => focus(shown[at + 1]?.node.uuid),
    ArrowUp: () => focus(shown[at - 1]?.node.uuid),
    Home: () => focus(shown[0]?.node.uuid),
    End: () => focus(shown.at(-1)?.node.uuid),
    ArrowRight: () => (isOpen ? focus(shown[at + 1]?.node.uuid) : toggle(uuid, false)),
    ArrowLeft: () => (isOpen ? toggle(uuid, true) : focus(here.parent)),
    Enter: () => choose(uuid),
    ' ': () => choose(uuid),
  }
  return ownValue(acts, key) ?? null
}

/** Names of children often start with that of their parent, which is shown once. */
function ShortName({ name, above }: { readonly name: string; readonly above: readonly string[] }) {
  const start = above.find(one => one !== '' && one !== name && name.startsWith(one))
  if (start === undefined) return name
  return (
    <>
      <span className="hidden">{start}</span>
      {name.slice(start.length).replace(/^[_.:-]/, '')}
    </>
  )
}

function* visible(
  node: TreeNode,
  level: number,
  parent: string | null,
  closed: ReadonlySet<string>,
): Generator<Shown> {
  yield { node, level, parent }
  if (closed.has(node.uuid)) return
  for (const child of node.children) yield* visible(child, level + 1, node.uuid, closed)
}

/** The node of a provider with everything below it. */
export function nodeOf(
  provider: Provider,
  childrenOf: (provider: Provider) => readonly Provider[],
): TreeNode {
  return {
    uuid: provider.uuid,
    name: provider.name,
    children: childrenOf(provider).map(child => nodeOf(child, childrenOf)),
  }
}
