/**
 * Builds a small Go program on Debian's gophercloud and runs it against a built Berth. Needs golang-go and
 * golang-github-gophercloud-gophercloud-dev, and `npm run build` before; nothing is downloaded.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runClient } from './run-client.ts'

const source = fileURLToPath(new URL('gophercloud/main.go', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'berth-gophercloud-'))
try {
  const program = join(directory, 'client')
  // Debian's libraries are sources in a GOPATH, without modules.
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(directory, 'cache'),
  }
  execFileSync('go', ['build', '-o', program, source], { env, stdio: 'inherit' })
  process.exitCode = await runClient(program)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
