import { beforeAll, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/registry.ts'
import { keyNames } from '../../src/config/keys.ts'
import { manualPages, placementPrograms } from './pages.ts'

let pages: ReadonlyMap<string, string>
beforeAll(async () => {
  pages = await manualPages('1.2.3')
})

test('every command has a page, and the overview names it', () => {
  const isProgram = (name: string) => placementPrograms.some(one => one === name)
  for (const { name } of commands) {
    const page = `${isProgram(name) ? '' : 'berth-'}${name}`
    expect([...pages.keys()]).toContain(`${page}.1`)
    expect(pages.get('berth.1')).toContain(`\\fB${page.replaceAll('-', '\\-')}\\fR(1)`)
  }
})

test('every key of the configuration is in berth.json(5), with its text', () => {
  const page = pages.get('berth.json.5') ?? ''
  for (const name of keyNames) expect(page).toContain(`\\fB${name}\\fR, \\fBBERTH_${name.toUpperCase()}\\fR`)
  expect(page).not.toContain('undefined')
})

test('no line of a text is taken for a request of roff', () => {
  const known = /^\.(TH|nh|ad l|SH|SS|PP|TP|nf|fi|RS 2|RE|B|I|BR)( |$)/
  for (const [name, text] of pages)
    for (const line of text.split('\n'))
      if (/^[.']/.test(line)) expect([name, line]).toEqual([name, expect.stringMatching(known)])
})

test('pages are plain ASCII, and a backslash of a text stays one', () => {
  for (const [name, text] of pages) expect([name, /[^\n -~]/.exec(text)?.[0]]).toEqual([name, undefined])
  expect(pages.get('berth-host.1')).toContain('\\-\\-name <glob>')
})

test('a page of a command has the options and the examples of its subcommands', () => {
  const page = pages.get('berth-host.1')
  for (const part of ['.SS berth host add', '\\fB\\-\\-zone <name>\\fR', 'Examples:', '.SH EXIT STATUS'])
    expect(page).toContain(part)
})
