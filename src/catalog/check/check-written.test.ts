import { beforeAll, describe, expect, test } from 'vitest'
import { SmallCatalog } from '../../../test/small-catalog.ts'
import { definitionFiles } from '../definitions/index.ts'
import { checkWritten, type WriteCheck } from './check-written.ts'
import { AGGREGATE, FLAVOR, SHARE_TYPE } from './readers.ts'

const small = new SmallCatalog()
beforeAll(() => {
  small.import(definitionFiles.map(one => JSON.stringify(one)))
})

const check = (mode: WriteCheck, type: string, key: string, value: string) =>
  checkWritten(small.world.catalog, mode, type, { [key]: value })

describe('NaN for a number is refused', () => {
  test.each([
    [FLAVOR, 'capabilities:free_ram_mb', 'NaN'],
    [FLAVOR, 'capabilities:free_ram_mb', '>= NaN'],
    [FLAVOR, 'hw:cpu_sockets', 'nan'],
    [AGGREGATE, 'cpu_weight_multiplier', ' NaN '],
    [SHARE_TYPE, 'free_capacity_gb', 'NaN'],
  ])('%s %s=%s, whatever is set', (type, key, value) => {
    for (const mode of ['off', 'warn', 'refuse'] as const) {
      const { refused } = check(mode, type, key, value)
      expect(refused).toEqual([`${key}: ${JSON.stringify(value)} is not a number.`])
    }
  })

  test('and stays what it is where no number is defined', () => {
    expect(check('warn', FLAVOR, 'colour', 'NaN')).toEqual({ refused: [], doubtful: [] })
    expect(check('warn', FLAVOR, 'capabilities:host', 's== nan')).toEqual({ refused: [], doubtful: [] })
  })
})

describe('a value that its definition does not allow', () => {
  test.each([
    ['off', [], []],
    ['warn', [], [expect.stringMatching(/^hw:cpu_sockets: "two" is not a whole number \(Berth::/)]],
    ['refuse', [expect.stringMatching(/^hw:cpu_sockets: "two"/)], []],
  ] as const)('with %s', (mode, refused, doubtful) => {
    expect(check(mode, FLAVOR, 'hw:cpu_sockets', 'two')).toEqual({ refused, doubtful })
  })

  test('is looked at among the written keys only', () => {
    const kept = { 'hw:cpu_sockets': 'two' }
    const written = { 'hw:cpu_cores': '4' }
    expect(checkWritten(small.world.catalog, 'refuse', FLAVOR, written, kept).refused).toEqual([])
  })

  test('is no operator that is defined, and no key that nothing defines', () => {
    for (const [key, value] of [
      ['capabilities:free_ram_mb', '>= 4096'],
      ['colour', 'blue'],
    ] as const)
      expect(check('refuse', FLAVOR, key, value).refused).toEqual([])
  })
})
