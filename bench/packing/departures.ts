/** Who leaves next: a binary heap by time. */
export class Departures {
  readonly #times: number[] = []
  readonly #who: number[] = []

  get nextS(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY
  }

  push(atS: number, who: number): void {
    let place = this.#times.length
    while (place > 0 && (this.#times[(place - 1) >> 1] as number) > atS) {
      this.#copy((place - 1) >> 1, place)
      place = (place - 1) >> 1
    }
    this.#times[place] = atS
    this.#who[place] = who
  }

  pop(): number {
    const first = this.#who[0] as number
    const atS = this.#times.pop() as number
    const who = this.#who.pop() as number
    const { length } = this.#times
    if (length === 0) return first
    let place = 0
    for (let child = 1; child < length; child = 2 * place + 1) {
      if (child + 1 < length && (this.#times[child + 1] as number) < (this.#times[child] as number)) child++
      if ((this.#times[child] as number) >= atS) break
      this.#copy(child, place)
      place = child
    }
    this.#times[place] = atS
    this.#who[place] = who
    return first
  }

  #copy(from: number, to: number): void {
    this.#times[to] = this.#times[from] as number
    this.#who[to] = this.#who[from] as number
  }
}
