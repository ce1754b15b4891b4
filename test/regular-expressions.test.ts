import { expect, test } from 'vitest'
import { judge, literalOf, productSources, readProofs, regularExpressions } from './regular-expressions.ts'

const proofs = readProofs()
const product = regularExpressions(productSources())

// One that is new is judged here and now; `npm run regular-expressions` keeps the verdict.
test('every regular expression of the product takes linear time', () => {
  const slow = product.found.flatMap(one => {
    const { isLinear, says } = judge(one, proofs)
    return isLinear ? [] : [`${one.place}: ${literalOf(one)} is ${says}`]
  })
  expect(slow).toEqual([])
})

test('every one can be told from the source', () => expect(product.unknown).toEqual([]))

test('expressions are found wherever they are written', () => {
  const files = new Map([
    [
      'src/a.ts',
      [
        "import { B } from './b.ts'",
        "const A = 'a'",
        'const text = "/no/", half = 4 / 2 / 1 // /no/',
        'x.replace(/lit\\/eral/g, y)',
        `new RegExp(\`^\${A}\${B}$\`, 'y')`,
        "RegExp(A + 'c')",
        "text.match('dot.')",
        "const schema = { pattern: '^x$', patternProperties: { [B]: z, y: z } }",
        'new RegExp(given)',
        'const other = { pattern: given }',
        'const third = { patternProperties: { [given]: z } }',
      ].join('\n'),
    ],
    ['src/b.ts', "export const B = 'b+'"],
  ])
  const { found, unknown } = regularExpressions(files)
  expect(found.map(one => `${one.place} ${literalOf(one)}`)).toEqual([
    'src/a.ts:4 /lit\\/eral/g',
    'src/a.ts:5 /^ab+$/y',
    'src/a.ts:6 /ac/',
    'src/a.ts:7 /dot./',
    'src/a.ts:8 /^x\\n?$/u',
    'src/a.ts:8 /b+/u',
    'src/a.ts:8 /y/u',
  ])
  expect(unknown).toEqual([
    'src/a.ts:9: new RegExp( cannot be checked',
    'src/a.ts:10: pattern cannot be checked',
    'src/a.ts:11: patternProperties cannot be checked',
  ])
})

test.each([
  ['^([a-z_]+(,)?)+$', 'exponential'],
  ['^a*a*a*b', '3rd degree polynomial'],
  ['[{}]+$', '2nd degree polynomial'],
])('%s is refused as %s', (pattern, says) => {
  expect(judge({ pattern, flags: '' })).toMatchObject({ isLinear: false, says: `vulnerable ${says}` })
})
