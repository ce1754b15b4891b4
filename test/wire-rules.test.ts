import { beforeAll, describe, expect, test } from 'vitest'
import { repositoryFiles } from './repository-files.ts'
import {
  answersOfTheConsole,
  type MemberSet,
  objectTypes,
  serverCodeInConsole,
  wireCopies,
  wireTypes,
} from './wire-rules.ts'

const files = repositoryFiles()
let types: readonly MemberSet[]
beforeAll(async () => {
  types = await wireTypes(files)
})

describe('what goes over the wire is declared once, in src/wire', () => {
  test('the clients have no copy of a wire type', () => {
    expect(wireCopies(files, types)).toEqual([])
  })

  test('the console declares no answer beside its requests', () => {
    expect(answersOfTheConsole(files)).toEqual([])
  })

  test('the bundle of the console gets types from src/wire, and no code', () => {
    expect(serverCodeInConsole(files)).toEqual([])
  })
})

describe('the rules find what they are for', () => {
  const one = (path: string, text: string) => new Map([[path, text]])

  test.each([
    // All of a shape, a part of one, one inside another, and one of an OpenStack API.
    [
      'Warnings',
      'interface FilterStep { filter: string; before: number; after: number; removed: unknown[] }',
    ],
    [
      'part',
      'export type Row = {\n  readonly host: string\n  readonly provider: string\n  readonly weight: number\n  readonly verdict?: string\n}',
    ],
    [
      'nested',
      'interface Page {\n  readonly rows: readonly { readonly instance: string; readonly from: string; readonly to: string | null; readonly text: string | null }[]\n}',
    ],
    [
      'OpenStack',
      "interface Flavor { readonly id: string; readonly ram: number; readonly disk: number; readonly 'os-flavor-access:is_public': boolean }",
    ],
  ])('a copy: %s', (_, text) => {
    expect(wireCopies(one('console/src/why/rows.ts', text), types)).toEqual([
      expect.stringContaining('console/src/why/rows.ts: '),
    ])
  })

  test('a type of the console itself is no copy, nor is one in a test', () => {
    const own =
      'interface Props { readonly host: string; readonly onPick: () => void; readonly isOpen: boolean; readonly verdict: string }'
    expect(wireCopies(one('console/src/why/rows.ts', own), types)).toEqual([])
    const copy = 'interface FilterStep { filter: string; before: number; after: number; removed: unknown[] }'
    expect(wireCopies(one('console/src/why/rows.test.ts', copy), types)).toEqual([])
  })

  test('members are read from interfaces and type literals, with anything between them', () => {
    const text =
      "interface A extends B {\n  /** c: d */\n  readonly a: { readonly x: 1 }\n  'b-c'?: string\n}\ntype D<T> = Base & { e: T }"
    expect(objectTypes('f.ts', text).map(({ members }) => [...members])).toEqual([['x'], ['a', 'b-c'], ['e']])
  })

  test('an answer in console/src/api and code in its bundle are found', () => {
    expect(answersOfTheConsole(one('console/src/api/berth.ts', 'export interface Host {'))).toHaveLength(1)
    expect(answersOfTheConsole(one('console/src/api/http.ts', 'export interface Ask {'))).toEqual([])
    const from = "from '../../../src/wire/hosts.ts'"
    expect(serverCodeInConsole(one('console/src/a.ts', `import { hostShape } ${from}`))).toHaveLength(1)
    expect(serverCodeInConsole(one('console/src/a.ts', `import type { Host } ${from}`))).toEqual([])
  })
})
