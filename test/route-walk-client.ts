/** Sends the requests of the walk from its own thread: its work is not the server's. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { hostname, port } = new URL(workerData.url)
const agent = new Agent({ keepAlive: true })

parentPort?.on('message', ({ method, path, headers, body }) => {
  let isTold = false
  const tell = (answer: { status: number; bytes: number; error?: string }): void => {
    if (!isTold) parentPort?.postMessage(answer)
    isTold = true
  }
  const typed =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const asked = request(
    { hostname, port, method, path, agent, headers: { ...headers, ...typed } },
    response => {
      let text = ''
      let bytes = 0
      response.on('data', chunk => {
        bytes += chunk.length
        if (text.length < 300) text += chunk
      })
      response.on('end', () =>
        tell({ status: response.statusCode as number, bytes, error: text.slice(0, 300) }),
      )
    },
  )
  asked.on('error', error => tell({ status: 0, bytes: 0, error: String(error) }))
  asked.end(body)
})
