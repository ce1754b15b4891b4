import { KeyedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

type ShadowRow = Row<'shadow_settings'>

const ONLY = 1

/** The single row about the shadowed Placement. */
export class ShadowSettings {
  readonly #rows = new KeyedRows<ShadowRow, number>(row => row.id)

  /** Null before the first start with a shadowed Placement. */
  get row(): ShadowRow | null {
    return this.#rows.get(ONLY) ?? null
  }

  put(before: ShadowRow | null, after: ShadowRow | null): void {
    this.#rows.put(before, after)
  }

  rows(): Iterable<ShadowRow> {
    return this.#rows.rows()
  }
}
