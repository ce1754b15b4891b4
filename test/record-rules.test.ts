import { expect, test } from 'vitest'
import { unsafeIndexing } from './record-rules.ts'

const isFound = (source: string): boolean => unsafeIndexing(new Map([['src/a.ts', source]])).length > 0

test.each([
  'const table: Readonly<Record<string, number>> = { a: 1 }\ntable[key]',
  'const made: Record<string, string> = {}\nmade[key] = text',
  'function f(specs: Record<string, string>) { return specs[key] }',
  'interface Body { readonly specs?: Record<string, string> }\nbody.specs[key]',
  'interface Body { readonly specs: Record<string, string> }\nconst { specs } = body\nspecs[key]',
  'type Specs = Partial<Record<string, string>>\ntype Alias = Specs | null\nlet a: Alias\na[key]',
  'interface Json { [key: string]: unknown }\nfunction f(json: Json) { return json[key] }',
  'function metadataOf(id: number): Record<string, string> { return x }\nmetadataOf(1)[key]',
  'const metadataOf = (): Record<string, string> => x\nconst metadata = metadataOf()\nmetadata[key]',
  '(body as Record<string, unknown>)[key]',
  'const all = Object.fromEntries(pairs)\nall[key]',
  'const known = { a: 1 }\nknown[key as keyof typeof known]',
])('%s is found', source => expect(isFound(source)).toBe(true))

test.each([
  'const table: Readonly<Record<Level, number>> = levels\ntable[level]',
  'const made: Record<string, string> = emptyRecord()\nmade[key] = made[other]',
  'const made: Record<string, string> = Object.create(null)\nmade[key] = text',
  "function f(specs: Record<string, string>) { return specs['a'] + specs.b + specs[ZONE] }",
  'function f(specs: Record<string, string>) { delete specs[key] }',
  'const list: string[] = []\nlist[at]',
])('%s is left alone', source => expect(isFound(source)).toBe(false))
