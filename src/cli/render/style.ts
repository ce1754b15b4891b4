import type { Output } from '../process-environment.ts'

/** Text styles; plain if there are no colours. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
}

const leavePlain = (text: string): string => text
const sgr = (on: number, off: number) => (text: string) => `\x1b[${on}m${text}\x1b[${off}m`

export const plainStyle: Style = { bold: leavePlain, dim: leavePlain, good: leavePlain, bad: leavePlain }
const colours: Style = { bold: sgr(1, 22), dim: sgr(2, 22), good: sgr(32, 39), bad: sgr(31, 39) }

/** No colours if the output is not a terminal, NO_COLOR is set (https://no-color.org), or the terminal is dumb. */
export function styleFor(output: Output, env: Readonly<Record<string, string | undefined>>): Style {
  const wanted = output.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
  return wanted ? colours : plainStyle
}
