/** Draws a profile of Node (`--cpu-prof`) as a flame graph: width is time, callers are below what they call. */

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface Frame {
  readonly name: string
  time: number
  readonly children: Map<string, Frame>
}

const WIDTH = 1_200
const ROW = 16
/** Narrower boxes are omitted. */
const SHARE_MIN = 0.004
const DEPTH_MAX = 32
const CHAR_WIDTH = 6.2

/** Only what ran below a function of this name. */
export function flameGraph(profile: Profile, title: string, below: string): string {
  const root = framesOf(profile, below)
  const boxes: string[] = []
  let deepest = 0
  const draw = (frame: Frame, left: number, depth: number): void => {
    const width = (frame.time / root.time) * WIDTH
    if (width < SHARE_MIN * WIDTH || depth > DEPTH_MAX) return
    deepest = Math.max(deepest, depth)
    boxes.push(boxOf(frame, left, depth, width, root.time))
    let at = left
    for (const child of [...frame.children.values()].sort((a, b) => b.time - a.time)) {
      draw(child, at, depth + 1)
      at += (child.time / root.time) * WIDTH
    }
  }
  draw(root, 0, 0)
  const height = (deepest + 1) * ROW + 34
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="6" y="18" font-size="14">${escapeXml(title)}</text>`,
    `<g transform="translate(0 ${height - ROW - 4}) scale(1 1)">`,
    ...boxes,
    '</g>',
    '</svg>',
  ].join('\n')}\n`
}

function boxOf(frame: Frame, left: number, depth: number, width: number, whole: number): string {
  const share = ((100 * frame.time) / whole).toFixed(1)
  const y = -depth * ROW
  const chars = Math.floor((width - 4) / CHAR_WIDTH)
  const label = chars < 3 ? '' : frame.name.slice(0, chars)
  const color = COLORS[hashOf(frame.name) % COLORS.length]
  return (
    `<g><title>${escapeXml(frame.name)} ${share} %</title>` +
    `<rect x="${left.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${color}"/>` +
    (label === '' ? '' : `<text x="${(left + 2).toFixed(1)}" y="${y + 11}">${escapeXml(label)}</text>`) +
    '</g>'
  )
}

const COLORS = ['#f6c28b', '#f2a65a', '#f4d58d', '#f7b267', '#eec170', '#f9d29d']
const hashOf = (text: string): number =>
  [...text].reduce((hash, char) => (hash * 31 + char.charCodeAt(0)) >>> 0, 7)
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function framesOf({ nodes, samples, timeDeltas }: Profile, below: string): Frame {
  const times = new Map<number, number>()
  samples.forEach((id, at) => {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[at] as number))
  })
  const byId = new Map(nodes.map(node => [node.id, node]))
  const root: Frame = { name: below, time: 0, children: new Map() }
  const walk = (id: number, into: Frame | null): number => {
    const node = byId.get(id) as Profile['nodes'][number]
    const { functionName, url } = node.callFrame
    const name = functionName === '' ? '(anonymous)' : functionName
    const frame = into === null ? (name === below ? root : null) : frameIn(into, nameOf(name, url))
    let time = times.get(id) ?? 0
    for (const child of node.children ?? []) time += walk(child, frame)
    if (frame !== null) frame.time += time
    return time
  }
  walk((nodes[0] as Profile['nodes'][number]).id, null)
  return root
}

const nameOf = (name: string, url: string): string => (url.startsWith('node:') ? `${name} (node)` : name)

function frameIn(parent: Frame, name: string): Frame {
  const known = parent.children.get(name)
  if (known !== undefined) return known
  const frame: Frame = { name, time: 0, children: new Map() }
  parent.children.set(name, frame)
  return frame
}
