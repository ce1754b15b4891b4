import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readmePath, takeTour, tour, withTour } from '../scripts/tour.ts'

test('the tour in README.md is what the program prints (node scripts/tour.ts)', async () => {
  const page = readFileSync(readmePath, 'utf8')
  expect(page).toBe(withTour(page, await takeTour()))
})

test('the tour is worth its name', () => {
  expect(tour.length).toBeGreaterThanOrEqual(4)
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
