import { expect, test } from 'vitest'
import { ByteWriter, ByteWriters } from './byte-writer.ts'

test('what is written stands one behind the other, however often the buffer has to grow', () => {
  const writer = new ByteWriter(4)
  for (const word of ['{"a":', '1', ',', '"b":', '"ü"', '}']) writer.text(word)
  writer.char(0x0a)
  expect(writer.written().toString('latin1')).toBe('{"a":1,"b":"ü"}\n')
  expect(writer.toString()).toBe('{"a":1,"b":"ü"}\n')
})

test('a part can be repeated, and written over by words of four characters', () => {
  const writer = new ByteWriter(8)
  writer.text('[        ]')
  writer.repeat(0, 10)
  const words = new Int32Array(Uint8Array.from('....abcdefgh', char => char.charCodeAt(0)).buffer)
  writer.overwrite(words, 1, 2, 11)
  expect(writer.toString()).toBe('[        ][abcdefgh]')
})

test('a writer is used again once it is given back, and not before', () => {
  const writers = new ByteWriters()
  const first = writers.take()
  first.text('first')
  const second = writers.take()
  expect(second).not.toBe(first)
  writers.giveBack(first)
  const third = writers.take()
  expect(third).toBe(first)
  expect(third.length).toBe(0)
})
