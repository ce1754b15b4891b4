import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const FIRST_REQUEST_MS_MAX = 250

/**
 * Knows which connections have a request under way. Node ends those that wait for their next request when a
 * server closes, but not those that never sent one: a health checker or a browser that connected ahead of
 * need would hold up every stop.
 */
export class Connections {
  readonly #busy = new Map<Socket, number>()
  readonly #openedMs = new WeakMap<Socket, number>()

  constructor(server: Server, isTls = false) {
    // With TLS, requests come on the socket within the one that was connected first.
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#busy.set(socket, 0)
      this.#openedMs.set(socket, performance.now())
      socket.once('close', () => this.#busy.delete(socket))
    })
    server.on('request', (request, response) => {
      const { socket } = request
      this.#count(socket, 1)
      response.once('close', () => this.#count(socket, -1))
    })
  }

  /** The request of a connection that was opened just now may be on its way: it gets a moment. */
  endIdle(): void {
    const nowMs = performance.now()
    for (const [socket, requests] of this.#busy) {
      if (requests > 0) continue
      const ageMs = nowMs - (this.#openedMs.get(socket) as number)
      if (ageMs >= FIRST_REQUEST_MS_MAX) socket.destroy()
      else setTimeout(() => this.#endUnlessBusy(socket), FIRST_REQUEST_MS_MAX - ageMs).unref()
    }
  }

  #endUnlessBusy(socket: Socket): void {
    if (this.#busy.get(socket) === 0) socket.destroy()
  }

  #count(socket: Socket, by: number): void {
    const requests = this.#busy.get(socket)
    if (requests !== undefined) this.#busy.set(socket, requests + by)
  }
}
