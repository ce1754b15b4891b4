import { expect, test } from 'vitest'
import { ByteWriter, ByteWriterPool } from './byte-writer.ts'

test('what is written stands one behind the other, however often the buffer has to grow', () => {
  const writer = new ByteWriter(4)
  for (const word of ['{"a":', '1', ',', '"b":', '"ü"', '}']) writer.writeText(word)
  writer.writeChar(0x0a)
  expect(Buffer.concat(writer.toPieces()).toString('latin1')).toBe('{"a":1,"b":"ü"}\n')
  expect(writer.toString()).toBe('{"a":1,"b":"ü"}\n')
})

test('a part can be repeated, and written over by words of four characters', () => {
  const writer = new ByteWriter(8)
  writer.writeText('[        ]')
  writer.repeat(0, 10)
  const words = new Int32Array(Uint8Array.from('....abcdefgh', char => char.charCodeAt(0)).buffer)
  writer.overwrite(words, 1, 2, 11)
  expect(writer.toString()).toBe('[        ][abcdefgh]')
})

test('a writer is used again once it is released, and not before', () => {
  const writers = new ByteWriterPool()
  const first = writers.acquire()
  first.writeText('first')
  const second = writers.acquire()
  expect(second).not.toBe(first)
  writers.release(first)
  const third = writers.acquire()
  expect(third).toBe(first)
  expect(third.length).toBe(0)
})

test('a short piece is copied, a long one is referenced, and all come in order', () => {
  const kept = Buffer.alloc(40_000, 'k')
  const writer = new ByteWriter(4)
  writer.writeText('a')
  writer.addPiece(kept, 0, 10)
  writer.writeText('b')
  writer.addPiece(kept, 10, 30_000)
  writer.addPiece(kept, 5, 40_000)
  writer.writeText('c')
  expect(writer.size).toBe(3 + 10 + 29_990 + 39_995)
  expect(writer.toPieces().map(piece => piece.length)).toEqual([12, 29_990, 39_995, 1])
  expect(writer.toPieces()[1]?.buffer).toBe(kept.buffer)
  expect(Buffer.concat(writer.toPieces()).toString()).toBe(
    `a${'k'.repeat(10)}b${'k'.repeat(29_990)}${'k'.repeat(39_995)}c`,
  )
  writer.reset()
  expect(writer.toPieces()).toEqual([])
})
