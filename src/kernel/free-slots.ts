/** The lowest free whole numbers first, so that slots stay dense. */
export class FreeSlots {
  #heap: number[] = []
  #next = 0

  get lowest(): number {
    return this.#heap[0] ?? this.#next
  }

  /** The slots that so many takers in a row would get. */
  first(count: number): number[] {
    if (count === 0) return []
    if (count === 1) return [this.lowest]
    const slots = [...this.#heap].sort((a, b) => a - b).slice(0, count)
    for (let next = this.#next; slots.length < count; next++) slots.push(next)
    return slots
  }

  /** Marks one certain slot as used; it may lie beyond those handed out so far. */
  occupy(slot: number): void {
    if (slot >= this.#next) {
      for (let gap = this.#next; gap < slot; gap++) this.#push(gap)
      this.#next = slot + 1
      return
    }
    if (this.#heap[0] === slot) this.#pop()
    else {
      const at = this.#heap.indexOf(slot)
      if (at >= 0) this.#removeAt(at)
    }
  }

  release(slot: number): void {
    this.#push(slot)
  }

  #push(slot: number): void {
    const heap = this.#heap
    heap.push(slot)
    this.#siftUp(heap.length - 1)
  }

  #pop(): void {
    this.#removeAt(0)
  }

  #removeAt(at: number): void {
    const heap = this.#heap
    const last = heap.pop() as number
    if (at === heap.length) return
    heap[at] = last
    this.#siftUp(at)
    this.#siftDown(at)
  }

  #siftUp(from: number): void {
    const heap = this.#heap
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((heap[parent] as number) <= (heap[at] as number)) return
      ;[heap[parent], heap[at]] = [heap[at] as number, heap[parent] as number]
      at = parent
    }
  }

  #siftDown(from: number): void {
    const heap = this.#heap
    let at = from
    for (;;) {
      const left = at * 2 + 1
      if (left >= heap.length) return
      const right = left + 1
      const child = right < heap.length && (heap[right] as number) < (heap[left] as number) ? right : left
      if ((heap[at] as number) <= (heap[child] as number)) return
      ;[heap[child], heap[at]] = [heap[at] as number, heap[child] as number]
      at = child
    }
  }
}
