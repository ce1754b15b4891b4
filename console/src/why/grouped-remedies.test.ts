import { expect, test } from 'vitest'
import { groupedRemedies } from './grouped-remedies.ts'

const put = (name: string) => ({
  kind: 'join-aggregate',
  text: `Add ${name} to aggregate rack.`,
  aggregate: 'r',
  provider: { uuid: `uuid-${name}`, name },
})

test('the same change of several providers is shown once, others alone', () => {
  const drop = { kind: 'drop', text: 'Drop: trait A.' }
  const groups = groupedRemedies([
    drop,
    put('h-1'),
    put('h-2'),
    { ...put('h-3'), text: 'Add h-3 to aggregate x.' },
  ])
  expect(groups.map(({ text, providers }) => [text, providers.map(({ name }) => name)])).toEqual([
    ['Drop: trait A.', []],
    ['Add any of these to aggregate rack.', ['h-1', 'h-2']],
    ['Add h-3 to aggregate x.', ['h-3']],
  ])
})
