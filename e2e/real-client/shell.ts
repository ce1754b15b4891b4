import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { environment } from './openstack.ts'
import type { Story } from './story.ts'

const run = promisify(execFile)

/** For scripts that call the client once for each command. */
export const shell: Story = async ({ server, at, claim }) => {
  const openstack = (token: string, ...words: readonly string[]) =>
    run('openstack', words, { env: { ...process.env, ...environment({ ...server, token }, '1.39') } })

  await claim('options work as well as the environment', async () => {
    const options = [
      '--os-auth-type',
      'admin_token',
      '--os-token',
      server.token,
      '--os-endpoint',
      server.endpoint,
    ]
    const words = [
      ...options,
      '--os-placement-api-version',
      '1.39',
      'resource',
      'class',
      'show',
      'VCPU',
      '-f',
      'value',
    ]
    const { stdout } = await run('openstack', words, { env: { PATH: process.env.PATH ?? '' } })
    assert.equal(stdout.trim(), 'VCPU')
  })

  await claim('a refused command ends with 1 and the reason', async () => {
    await assert.rejects(openstack(server.token, 'resource', 'class', 'show', 'CUSTOM_NOT_THERE'), {
      code: 1,
      stderr: /No such resource class CUSTOM_NOT_THERE.*HTTP 404/s,
    })
  })

  await claim('a wrong token gets nothing', async () => {
    // The client fails on Keystone's body of a 401, so there is no text to compare.
    await assert.rejects(openstack('not-the-token', 'resource', 'class', 'list'), { code: 1, stdout: '' })
  })

  await claim('without a version the client finds one that both know', async () => {
    assert.deepEqual(await at('1').json('resource class show VCPU'), { name: 'VCPU' })
  })
}
