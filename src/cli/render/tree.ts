import type { Look } from './table.ts'
import { escapeControls, textWidth } from './text-width.ts'

export interface TreeNode {
  readonly name: string
  /** Shown dimmed after the name. */
  readonly aside: string
  /** Shown below the name. Lines break only between these phrases. */
  readonly details: readonly Phrases[]
  readonly children: readonly TreeNode[]
}

interface Phrases {
  readonly phrases: readonly string[]
  readonly between: string
}

/** Draws trees, one below the other. */
export function trees(roots: readonly TreeNode[], look: Look): string {
  return roots.map(root => `${nodeLines(root, '', '', look).join('\n')}\n`).join('')
}

/** `first` precedes the name, `rest` every line below it. */
function nodeLines(node: TreeNode, first: string, rest: string, look: Look): string[] {
  const head = `${first}${look.style.bold(escapeControls(node.name))}  ${look.style.dim(escapeControls(node.aside))}`
  const before = `${rest}${node.children.length > 0 ? '│  ' : '   '}`
  const details = node.details.flatMap(detail =>
    filled(detail, look.width - textWidth(before)).map(line => `${before}${line}`),
  )
  const children = node.children.flatMap((child, at) => {
    const isLast = at === node.children.length - 1
    return nodeLines(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`, look)
  })
  return [head, ...details, ...children]
}

/** As many phrases per line as fit; a phrase that is too wide gets its own line. */
export function filled({ phrases, between }: Phrases, width: number): string[] {
  const lines: string[] = []
  for (const phrase of phrases.map(escapeControls)) {
    const last = lines.at(-1)
    const joined = last === undefined ? phrase : `${last}${between}${phrase}`
    if (last !== undefined && textWidth(joined) <= width) lines[lines.length - 1] = joined
    else {
      if (last !== undefined) lines[lines.length - 1] = `${last}${between}`.trimEnd()
      lines.push(phrase)
    }
  }
  return lines
}
