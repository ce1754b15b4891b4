import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseEncoding, compress } from './compression.ts'

const LONG = 100_000

test.each([
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP;q=0.5', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['gzip;q=0.000', null],
  ['identity', null],
  ['', null],
  [undefined, null],
])('a client that asks for %s gets %s', (asked, encoding) => {
  expect(chooseEncoding(asked, LONG)).toBe(encoding)
})

test('a short answer stays as it is', () => {
  expect(chooseEncoding('gzip', 1_000)).toBeNull()
})

test('what is compressed comes out as it was', async () => {
  const text = JSON.stringify(Array.from({ length: 2_000 }, (_, nth) => ({ nth, name: 'ü' })))
  expect(gunzipSync(await compress(text, 'gzip')).toString()).toBe(text)
  expect(
    zstdDecompressSync(
      await compress([Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7))], 'zstd'),
    ).toString(),
  ).toBe(text)
})
