import { expect, test } from 'vitest'
import { groupedRemedies } from './grouped-remedies.ts'

const put = (name: string) => ({
  kind: 'join-aggregate',
  text: `Put ${name} into aggregate rack.`,
  aggregate: 'r',
  provider: { uuid: `uuid-${name}`, name },
})

test('the same change of several providers is told once, others by themselves', () => {
  const drop = { kind: 'drop', text: 'Drop: trait A.' }
  const groups = groupedRemedies([
    drop,
    put('h-1'),
    put('h-2'),
    { ...put('h-3'), text: 'Put h-3 into aggregate x.' },
  ])
  expect(groups.map(({ text, providers }) => [text, providers.map(({ name }) => name)])).toEqual([
    ['Drop: trait A.', []],
    ['Put any of these into aggregate rack.', ['h-1', 'h-2']],
    ['Put h-3 into aggregate x.', ['h-3']],
  ])
})
