/** The dialect of INI that oslo.config reads. */
import { trimSpace, trimSpaceEnd } from './space.ts'

export interface Assignment {
  readonly section: string
  readonly key: string
  /** The lines of a multi-line value are joined by line feeds. */
  readonly value: string
  readonly line: number
}

/** The file does not have the form that oslo.config reads. One plain line, without the line number. */
export class IniUnreadable extends Error {
  override name = 'IniUnreadable'
  readonly line: number

  constructor(line: number, why: string) {
    super(why)
    this.line = line
  }
}

interface Open {
  readonly key: string
  readonly line: number
  readonly values: string[]
}

/**
 * A value continues in the following lines that start with a blank, up to an empty line. A comment has `#` or
 * `;` as the first character of its line; after a value they belong to the value.
 */
export function parseIni(text: string): Assignment[] {
  const found: Assignment[] = []
  let section: string | null = null
  let open: Open | null = null
  const close = (): void => {
    if (open === null) return
    if (section === null)
      throw new IniUnreadable(open.line, `${open.key} is in no section; write [DEFAULT] above it`)
    found.push({ section, key: open.key, value: open.values.join('\n'), line: open.line })
    open = null
  }
  for (const [at, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = trimSpaceEnd(raw)
    if (line === '') close()
    else if (line.startsWith(' ') || line.startsWith('\t')) continueValue(open, line, at + 1)
    else {
      close()
      if (line.startsWith('[')) section = sectionOf(line, at + 1)
      else if (!line.startsWith('#') && !line.startsWith(';')) open = openValue(line, at + 1)
    }
  }
  close()
  return found
}

function continueValue(open: Open | null, line: string, number: number): void {
  if (open === null)
    throw new IniUnreadable(number, 'it begins with a blank, but there is no value above to continue')
  open.values.push(trimSpace(line))
}

function sectionOf(line: string, number: number): string {
  if (!line.endsWith(']')) throw new IniUnreadable(number, 'the name of a section must end with ]')
  if (line.length <= 2) throw new IniUnreadable(number, 'the section has no name')
  return line.slice(1, -1)
}

function openValue(line: string, number: number): Open {
  const end = line.search(/[:=]/)
  if (end < 0) throw new IniUnreadable(number, 'it has neither = nor :')
  const key = trimSpace(line.slice(0, end))
  if (key === '') throw new IniUnreadable(number, 'there is no name before the = or :')
  return { key, line: number, values: [withoutQuotes(trimSpace(line.slice(end + 1)))] }
}

/** Only quotes around the whole first line count. */
function withoutQuotes(value: string): string {
  const quote = value.charAt(0)
  return (quote === '"' || quote === "'") && value.endsWith(quote) ? value.slice(1, -1) : value
}
