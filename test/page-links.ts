import { posix } from 'node:path'
import type { Files } from './repo-rules.ts'

/** Links between pages that lead to no file, or to a heading that the page does not have. */
export function brokenLinks(files: Files): string[] {
  const folders = new Set([...files.keys()].flatMap(path => listFolders(path)))
  const pages = new Map(
    [...files].filter(([path]) => path.endsWith('.md')).map(([path, text]) => [path, parsePage(text)]),
  )
  return [...pages].flatMap(([path, { links }]) =>
    links.flatMap(target => {
      const [file = '', anchor] = target.split('#')
      if (/^[a-z]+:/.test(file)) return []
      const linked = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\/$/, '')
      if (!files.has(linked) && !folders.has(linked)) return [`${path}: the link to ${target} leads nowhere`]
      const page = pages.get(linked)
      if (anchor === undefined || page === undefined || page.anchors.has(anchor)) return []
      return [`${path}: the link to ${target} leads to no heading of ${linked}`]
    }),
  )
}

function listFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

interface Page {
  readonly links: readonly string[]
  readonly anchors: ReadonlySet<string>
}

function parsePage(text: string): Page {
  const prose = text.replaceAll(/^( *)(```|~~~)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '')
  const anchors = new Set<string>()
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = makeSlug(heading)
    let anchor = slug
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`
    anchors.add(anchor)
  }
  for (const [, id = ''] of prose.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id)
  return { links: [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target), anchors }
}

/** As GitHub makes anchors of headings. */
const makeSlug = (heading: string): string =>
  heading
    .trim()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
