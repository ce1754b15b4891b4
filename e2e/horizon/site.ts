/** Debian's Horizon and manila-ui with our settings, in a directory of links: nothing of the system changes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../scripts/free-port.ts'

const PACKAGE = '/usr/lib/python3/dist-packages/openstack_dashboard'
const SETTINGS = '/etc/openstack-dashboard'
const STATIC = '/var/lib/openstack-dashboard/static'
const integration = fileURLToPath(new URL('../../integrations/horizon', import.meta.url))
const START_MS_MAX = 60_000

interface Site {
  readonly url: string
  readonly log: () => Promise<string>
  stop(): Promise<void>
}

/** Our settings as the how-to page has them; what only a test needs comes after them. */
export async function startHorizon(berthUrl: string): Promise<Site> {
  const root = await mkdtemp(join(tmpdir(), 'berth-horizon-'))
  const local = join(root, 'openstack_dashboard/local')
  await mkdir(join(local, 'enabled'), { recursive: true })
  await mkdir(join(local, 'local_settings.d'))
  await linkAll(PACKAGE, join(root, 'openstack_dashboard'), name => name !== 'local')
  await linkAll(join(PACKAGE, 'local/enabled'), join(local, 'enabled'), name => name.endsWith('.py'))
  for (const directory of [join(SETTINGS, 'local_settings.d'), join(integration, 'local_settings.d')])
    await linkAll(directory, join(local, 'local_settings.d'), name => name.endsWith('.py'))
  await symlink(join(SETTINGS, 'local_settings.py'), join(local, 'local_settings.py'))
  for (const directory of [local, join(local, 'enabled')]) await writeFile(join(directory, '__init__.py'), '')
  await writeFile(join(local, 'local_settings.d/_99_test.py'), testSettings(berthUrl))
  const port = await freePort()
  const logFile = join(root, 'horizon.log')
  const child = startServer(root, port, logFile)
  const site: Site = {
    url: `http://127.0.0.1:${port}`,
    log: () => readFile(logFile, 'utf8'),
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await rm(root, { recursive: true, force: true })
    },
  }
  await waitUntilServing(site, child)
  return site
}

async function linkAll(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(from))
    if (isWanted(name) && name !== '__init__.py') await symlink(join(from, name), join(to, name))
  if (to.endsWith('openstack_dashboard')) await symlink(join(from, '__init__.py'), join(to, '__init__.py'))
}

/** Messages do not fade, so that tests can read them. */
const testSettings = (berthUrl: string): string => `
OPENSTACK_KEYSTONE_URL = "${berthUrl}/identity/v3"
SECRET_KEY = "only for this test, which ends with its sessions"
ALLOWED_HOSTS = ["127.0.0.1"]
HORIZON_CONFIG["auto_fade_alerts"] = {"delay": 3600000, "fade_duration": 1, "types": []}
`

function startServer(root: string, port: number, logFile: string): ChildProcess {
  const log = openSync(logFile, 'w')
  // One process, because its sessions are in its memory.
  const args = ['--plugin', 'python3', '--http-socket', `127.0.0.1:${port}`, '--master', '--die-on-term']
  const child = spawn(
    'uwsgi-core',
    [
      ...args,
      ...['--threads', '4', '--enable-threads', '--static-map', `/static=${STATIC}`],
      ...['--pythonpath', root, '--pythonpath', integration],
      ...['--wsgi-file', '/usr/share/openstack-dashboard/wsgi.py'],
    ],
    { stdio: ['ignore', log, log] },
  )
  closeSync(log)
  return child
}

async function waitUntilServing(site: Site, child: ChildProcess): Promise<void> {
  const failed = once(child, 'error').then(([error]) => {
    throw error
  })
  const serving = async () => {
    for (const endMs = Date.now() + START_MS_MAX; Date.now() < endMs; await sleep(250)) {
      if (child.exitCode !== null) break
      const answer = await fetch(`${site.url}/auth/login/`).catch(() => null)
      if (answer?.ok) return
      if (answer !== null && answer.status >= 500) break
    }
    const log = await site.log()
    await site.stop()
    throw new Error(`Horizon did not start:\n${log.slice(-3000)}`)
  }
  await Promise.race([serving(), failed])
}
