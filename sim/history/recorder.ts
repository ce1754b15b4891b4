import { type Ask, isWrite, type Operation, type OperationResult } from './operation.ts'
import type { Server } from './server.ts'

export interface Counts {
  readonly operations: number
  readonly done: number
  readonly seen: number
  readonly refused: number
  readonly nothing: number
  readonly unknown: number
}

/** Records every request and its answer, by one clock. */
export class Recorder {
  readonly operations: Operation[] = []
  /** Numbers are given before the answer arrives, and are then found in the store. */
  #ids = 0
  readonly #waiting = new Map<Server, number>()

  async ask(server: Server, ask: Ask): Promise<Operation> {
    const id = ++this.#ids
    const startMs = performance.now()
    this.#waiting.set(server, this.waitingFor(server) + 1)
    const result: OperationResult = await server.client.ask(id, ask)
    this.#waiting.set(server, this.waitingFor(server) - 1)
    const operation = { id, server: server.name, ask, result, startMs, endMs: performance.now() }
    this.operations.push(operation)
    return operation
  }

  waitingFor(server: Server): number {
    return this.#waiting.get(server) ?? 0
  }

  get writesDone(): number {
    return this.operations.filter(({ ask, result }) => isWrite(ask) && result.kind === 'done').length
  }

  get counts(): Counts {
    const of = (kind: OperationResult['kind']) =>
      this.operations.filter(({ result }) => result.kind === kind).length
    return {
      operations: this.operations.length,
      done: of('done'),
      seen: of('seen'),
      refused: of('refused'),
      nothing: of('nothing'),
      unknown: of('unknown'),
    }
  }
}
