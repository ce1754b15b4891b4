import { expect, test } from 'vitest'
import { pageText, takeTour, tours, withTour } from '../scripts/tour.ts'

test.each(Object.entries(tours))(
  'the tour in %s is what the program prints (node scripts/tour.ts)',
  async (path, stops) => {
    const page = pageText(path)
    expect(page).toBe(withTour(page, await takeTour(stops)))
  },
)

test('the tours are worth their name', () => {
  for (const stops of Object.values(tours)) expect(stops.length).toBeGreaterThanOrEqual(4)
})

test('a page without marks is refused, a page with marks keeps all else', () => {
  expect(() => withTour('# A page\n', 'text')).toThrow('there is no place for the tour')
  const page = 'before\n<!-- tour:begin: made by node scripts/tour.ts -->\nold\n<!-- tour:end -->\nafter\n'
  const renewed = withTour(page, 'new')
  expect(renewed).toMatch(/^before\n<!-- tour:begin.*-->\n\nnew\n\n<!-- tour:end -->\nafter\n$/)
  expect(withTour(renewed, 'new')).toBe(renewed)
})

test('a command that ends otherwise than it should stops the tour', async () => {
  await expect(takeTour([{ say: '', run: 'exit 3' }])).rejects.toThrow("'exit 3' ended with 3, not 0")
})
