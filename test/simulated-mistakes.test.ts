import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutations } from '../sim/history/mutations.ts'

const replacements = Object.entries(mutations).flatMap(([name, { replacements }]) =>
  replacements.map(replacement => ({ name, ...replacement })),
)

test.each(replacements)('mutation $name: $file has the text that it replaces, once', ({ file, text }) => {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  expect(source.match(new RegExp(text, 'g'))).toHaveLength(1)
})
