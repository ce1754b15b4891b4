/** The list of decisions in docs/adr/README.md, from the heads of the pages. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { table } from './markdown-table.ts'

interface DecisionPage {
  readonly file: string
  readonly number: number
  readonly title: string
  readonly status: string
  readonly date: string
}

/** A page begins with its number and title, then its status and date. */
const HEAD =
  /^# (\d+)\. (.+)\n\n\* Status: (accepted|superseded by \[\d+\]\([\w.-]+\))\n\* Date: (\d{4}-\d\d-\d\d)\n\n/

/** Null if the page does not begin as a decision must. */
export function parseDecision(file: string, text: string): DecisionPage | null {
  const [, number, title, status, date] = HEAD.exec(text) ?? []
  if (number === undefined || Number(file.slice(0, 4)) !== Number(number)) return null
  return {
    file,
    number: Number(number),
    title: title as string,
    status: status as string,
    date: date as string,
  }
}

const folder = fileURLToPath(new URL('../docs/adr/', import.meta.url))

export function decisionList(): string {
  const pages = globSync('[0-9]*.md', { cwd: folder })
    .sort()
    .map(file => parseDecision(file, readFileSync(folder + file, 'utf8')))
    .filter(page => page !== null)
  return table(
    ['number', 'decision', 'status', 'date'],
    pages.map(({ file, number, title, status, date }) => [
      String(number),
      `[${title}](${file})`,
      status,
      date,
    ]),
  )
}
