import type { ConsumerSlot } from '../kernel/ids.ts'
import { Groups, IndexedRows, KeyedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

export type ReservationRow = Row<'reservations'>
type SlotRow = Row<'reservation_slots'>

/** Its time has begun and is not over. */
export const isReservationOpen = ({ from_at, until_at }: ReservationRow, nowMs: number): boolean =>
  from_at <= nowMs && (until_at === null || nowMs < until_at)

/** Capacity that is kept for somebody, and the consumers that hold it. */
export class Reservations {
  static readonly BY_NAME = 1

  readonly rows = new IndexedRows<ReservationRow>([row => row.uuid, row => row.name])
  readonly #ofConsumer = new KeyedRows<SlotRow, number>(row => row.consumer_id)
  readonly #slots = new Groups<number>()

  readonly mirrors = {
    reservations: this.rows,
    reservation_slots: {
      put: (before: SlotRow | null, after: SlotRow | null) => this.#putSlot(before, after),
      rows: () => this.#ofConsumer.rows(),
    },
  }

  get size(): number {
    return this.rows.size
  }

  /** By uuid or name. */
  find(text: string): ReservationRow | undefined {
    return this.rows.find(text) ?? this.rows.find(text, Reservations.BY_NAME)
  }

  /** The row of a consumer that holds a part of a reservation. */
  slotOf(consumer: ConsumerSlot): SlotRow | undefined {
    return this.#ofConsumer.get(consumer)
  }

  /** The reservation that a consumer holds a part of. */
  findOf(consumer: ConsumerSlot): ReservationRow | undefined {
    const slot = this.slotOf(consumer)
    return slot === undefined ? undefined : this.rows.get(slot.reservation_id)
  }

  /** The consumers that hold a reservation, the oldest first. */
  listSlots(reservation: number): ConsumerSlot[] {
    return [...this.#slots.get(reservation)].sort((a, b) => a - b) as ConsumerSlot[]
  }

  countSlots(reservation: number): number {
    return this.#slots.countOf(reservation)
  }

  #putSlot(before: SlotRow | null, after: SlotRow | null): void {
    this.#ofConsumer.put(before, after)
    if (before !== null) this.#slots.delete(before.reservation_id, before.consumer_id)
    if (after !== null) this.#slots.add(after.reservation_id, after.consumer_id)
  }
}
