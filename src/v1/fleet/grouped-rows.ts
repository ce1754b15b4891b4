import type { AnyRow } from '../../world/table.ts'

/**
 * Reads rows that are sorted by a number, and returns the rows of each requested number. Numbers must be
 * requested in ascending order; rows of skipped numbers are dropped.
 */
export class GroupedRows<R extends AnyRow> {
  readonly #pages: AsyncIterator<readonly AnyRow[]>
  readonly #column: keyof R & string
  #page: readonly AnyRow[] = []
  #at = 0

  constructor(pages: AsyncIterable<readonly AnyRow[]>, column: keyof R & string) {
    this.#pages = pages[Symbol.asyncIterator]()
    this.#column = column
  }

  async take(number: number): Promise<R[]> {
    const found: AnyRow[] = []
    for (;;) {
      const row = this.#page[this.#at]
      if (row === undefined) {
        const next = await this.#pages.next()
        if (next.done === true) return found as R[]
        this.#page = next.value
        this.#at = 0
      } else {
        const own = row[this.#column] as number
        if (own > number) return found as R[]
        if (own === number) found.push(row)
        this.#at++
      }
    }
  }
}
