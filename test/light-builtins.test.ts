import { Agent } from 'node:https'
import { expect, test } from 'vitest'
import { lightBuiltins, OTHER_BUILTINS } from '../scripts/light-builtins.ts'

const built = (name: string) => {
  const id = lightBuiltins.resolveId(name) as string
  return import(`data:text/javascript,${encodeURIComponent(lightBuiltins.load(id) as string)}`)
}

test('what the bundle imports of http and https works as the modules themselves', async () => {
  const [http, https] = [await built('node:http'), await built('node:https')]
  expect(http.STATUS_CODES[404]).toBe('Not Found')
  expect(new http.Agent({ keepAlive: true }).keepAlive).toBe(true)
  expect(new https.Agent()).toBeInstanceOf(Agent)
  const server = https.createServer()
  expect(server.listening).toBe(false)
  server.close()
})

test("the getters that load Node's fetch and the certificates are left out", async () => {
  expect(Object.keys(await built('node:http'))).not.toContain('WebSocket')
  expect(Object.keys(await built('node:tls'))).not.toContain('rootCertificates')
  const ids = ['node:http', 'node:https', 'node:tls', 'node:net', 'node:http2']
  expect(ids.filter(id => OTHER_BUILTINS.test(id))).toEqual(['node:net', 'node:http2'])
  expect(lightBuiltins.resolveId('node:net')).toBeNull()
})
