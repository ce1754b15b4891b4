import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Different ports of the loopback address on which nothing listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(server => once(server.close(), 'close')))
  return ports
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port as number
}
