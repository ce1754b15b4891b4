/**
 * The shell snippets of a page. Blocks of `sh` and `console` run in order in one shell, unless a comment before the block
 * says otherwise:
 *
 *   <!-- not run: it needs systemd -->     is only parsed
 *   <!-- run: in the background -->        a server, left running until the next such block or the end of the page
 *   <!-- run: ends with 2 -->              the exit code of the last command; default: 0
 *
 * A comment anywhere in the page says where it runs: `<!-- snippets: against berth serve --demo -->` starts a server first,
 * `<!-- snippets: in a copy of the repository -->` and `<!-- snippets: with Keystone -->` do what they say.
 */

export interface Step {
  /** Of the page, from 1: where the command begins. */
  readonly line: number
  readonly command: string
  readonly exit: number
  readonly background: boolean
  /** Why it is not run. */
  readonly notRun: string | null
  /** The printed output, as lines of the page: from, and up to but without. Null if the page shows none. */
  readonly output: { readonly from: number; readonly to: number } | null
}

export interface Page {
  readonly lines: readonly string[]
  readonly steps: readonly Step[]
  /** What stands behind `snippets:`. */
  readonly setting: string | null
}

interface Block {
  readonly language: string
  /** Of the first line inside, counted from 0; `to` is the line of the closing fence. */
  readonly from: number
  readonly to: number
  readonly mark: string | null
}

const MARK = /^<!-- (not run: .+|run: .+) -->$/

export function parsePage(text: string): Page {
  const lines = text.split('\n')
  const blocks = blocksOf(lines)
  const steps = blocks.flatMap((block, at) => {
    if (block.language === 'console') return consoleSteps(lines, block)
    if (block.language !== 'sh') return []
    const next = blocks[at + 1]
    const printed =
      next?.language === '' && lines.slice(block.to + 1, next.from - 1).every(line => line === '')
    const output = printed ? { from: next.from, to: next.to } : null
    return [stepOf(lines.slice(block.from, block.to).join('\n'), block.from + 1, block.mark, output)]
  })
  return { lines, steps, setting: /^<!-- snippets: (.+) -->$/m.exec(text)?.[1] ?? null }
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s*```(\w*)/.exec(lines[at] as string)
    if (fence === null) continue
    const end = lines.findIndex((line, index) => index > at && /^\s*```$/.test(line))
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`)
    blocks.push({ language: fence[1] as string, from: at + 1, to: end, mark: markBefore(lines, at) })
    at = end
  }
  return blocks
}

function markBefore(lines: readonly string[], fence: number): string | null {
  let at = fence - 1
  while (at >= 0 && lines[at] === '') at--
  return MARK.exec(lines[at] ?? '')?.[1] ?? null
}

/** A block of `$ command` lines, each with what it printed below it. */
function consoleSteps(lines: readonly string[], { from, to, mark }: Block): Step[] {
  const steps: Step[] = []
  for (let at = from; at < to; ) {
    const first = lines[at] as string
    if (!first.startsWith('$ ')) throw new Error(`line ${at + 1}: a console block begins with '$ '`)
    let end = at + 1
    while (end < to && (lines[end - 1] as string).endsWith('\\')) end++
    let next = end
    while (next < to && !(lines[next] as string).startsWith('$ ')) next++
    const command = lines.slice(at, end).join('\n').slice(2)
    steps.push(stepOf(command, at + 1, next === to ? mark : noExit(mark), { from: end, to: next }))
    at = next
  }
  return steps
}

/** Only the last command of a block may end otherwise than with 0. */
const noExit = (mark: string | null): string | null => (mark?.startsWith('run: ends') ? null : mark)

function stepOf(command: string, line: number, mark: string | null, output: Step['output']): Step {
  const exit = /^run: ends with (\d+)$/.exec(mark ?? '')
  const notRun = /^not run: (.+)$/.exec(mark ?? '')?.[1] ?? null
  const background = mark === 'run: in the background'
  if (mark !== null && exit === null && notRun === null && !background)
    throw new Error(`line ${line}: '${mark}' is no mark of a snippet`)
  return { line, command, exit: Number(exit?.[1] ?? 0), background, notRun, output }
}

/** Ids, times and secrets differ from run to run, and are compared by their form only. */
export function comparable(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'ID')
    .replaceAll(/\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?/g, 'TIME')
    .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'TOKEN')
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
}

/** The page with what was printed in the place of what it shows, where the two differ in more than ids and times. */
export function withOutputs(page: Page, printed: ReadonlyMap<Step, string>): string {
  const lines = [...page.lines]
  for (const { output, ...step } of [...page.steps].reverse()) {
    const text = printed.get(page.steps.find(one => one.line === step.line) as Step)
    if (output === null || text === undefined) continue
    if (comparable(text) === comparable(lines.slice(output.from, output.to).join('\n'))) continue
    const shown = text.trimEnd() === '' ? [] : text.trimEnd().split('\n')
    lines.splice(output.from, output.to - output.from, ...shown.map(line => line.trimEnd()))
  }
  return lines.join('\n')
}
