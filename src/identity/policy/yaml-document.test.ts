import { expect, onTestFinished, test, vi } from 'vitest'
import { LineCounter, Parser, parseDocument } from 'yaml'
import { POLICY_FILE_BYTES_MAX } from './policy-file.ts'
import { parseYaml, YAML_DEPTH_MAX, YamlTooDeep } from './yaml-document.ts'

/** How many lexemes the parser was given. */
function countSteps(text: string): number {
  const next = vi.spyOn(Parser.prototype, 'next')
  onTestFinished(() => next.mockRestore())
  try {
    parseYaml(text, new LineCounter())
  } catch (error) {
    if (!(error instanceof YamlTooDeep)) throw error
  }
  return next.mock.calls.length
}

const fill = (unit: string): string => unit.repeat(Math.ceil(POLICY_FILE_BYTES_MAX / unit.length))

test.each(['[', '{', '{a: ', '- ', '? ', '[{', '[\n', '"a": [', '[]', ']]\t', '!a}]'])(
  'a whole file of %j is refused after a few tokens',
  unit => {
    expect(countSteps(fill(unit))).toBeLessThan(10 * YAML_DEPTH_MAX)
  },
)

test('levels up to the limit are read', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(parseYaml(nested(YAML_DEPTH_MAX), new LineCounter()).errors).toEqual([])
  expect(() => parseYaml(nested(YAML_DEPTH_MAX + 1), new LineCounter())).toThrow(YamlTooDeep)
})

test.each([
  ...[
    '',
    'a: b',
    '---\n# x\na: "b"\n',
    'a: &x b\nc: *x',
    '{"a": "b"}',
    'a: |\n  b\n  c\n',
    'a:\n- b\n- c: d\n',
  ],
  ...['a: b: c', 'a: b\n---\nc: d', 'a: "b', ']', 'a: [', 'a: @b', '%x\na: b', '\ta: b'],
])('%j is read as yaml reads it', text => {
  const own = parseYaml(text, new LineCounter())
  const options = { schema: 'core', prettyErrors: false } as const
  const theirs = parseDocument(text, options)
  expect(own.errors[0]?.code).toBe(theirs.errors[0]?.code)
  expect(own.errors[0]?.pos).toEqual(theirs.errors[0]?.pos)
  if (theirs.errors.length === 0) expect(own.toJS()).toEqual(theirs.toJS())
})
