import { expect, test } from 'vitest'
import { eventsOf, linesOf } from './lines.ts'

const bodyOf = (...chunks: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

async function all<T>(lists: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const list of lists) found.push(...list)
  return found
}

const eventsIn = (...chunks: readonly string[]) => all(eventsOf(bodyOf(...chunks)))

test('lines are put together across chunks, the last one without an end too', async () => {
  expect(await all(linesOf(bodyOf('a\nb', 'c\nd')))).toEqual(['a', 'bc', 'd'])
})

test('events have an id, a name and data; comments are none', async () => {
  expect(
    await eventsIn(': hello\n\nid: 7\nevent: change\ndata: {"a":1}\n', '\nid:8\ndata:x\r\n\r\n'),
  ).toEqual([
    { id: '7', event: 'change', data: '{"a":1}' },
    { id: '8', event: 'message', data: 'x' },
  ])
})

test('only the first colon and one space after it belong to the form; a name alone has nothing to say', async () => {
  expect(await eventsIn('data:  a: b\ndata\n\n')).toEqual([{ id: null, event: 'message', data: ' a: b\n' }])
})

test.each(['\u2028', '\u2029', '\u0085', '\v'])('data may hold the line separator %j', async separator => {
  const data = `{"name":"a${separator}b"}`
  expect(await eventsIn(`id: 1\ndata: ${data}\n\n`)).toEqual([{ id: '1', event: 'message', data }])
})
