import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openCoercions } from './coercions.ts'

test('nothing that may be an object of a caller is turned into text or a number', () => {
  expect(openCoercions(fileURLToPath(new URL('../tsconfig.json', import.meta.url)))).toEqual([])
})

test('such places are found by their types', () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-coercions-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'src', 'v1'), { recursive: true })
  const config = join(directory, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: { strict: true, types: [] }, include: ['src'] }))
  const source = `
    export function f(a: unknown, b: unknown[], c: Record<string, unknown>, d: string | object) {
      if (typeof a === "string") return \`\${a}\`
      try { return [\`\${a}\`, String(d), Number(c), b.join()] } catch (error) { return String(error) }
    }
    export const g = (a: string, b: readonly number[], c: string & { brand: 1 }) =>
      a + c + b.join() + \`\${a}\${c}\` + Number(a)`
  writeFileSync(join(directory, 'src', 'v1', 'a.ts'), source)
  expect(openCoercions(config)).toEqual(
    ['a', 'd', 'c', 'b'].map(name => `src/v1/a.ts:4: ${name} may be an object: use jsonText()`),
  )
})
