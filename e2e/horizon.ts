/**
 * Drives Debian's Horizon with manila-ui on a built Berth with the demo cloud, in Chromium, as an admin and as a member. Needs
 * openstack-dashboard, python3-manila-ui, uwsgi-core, uwsgi-plugin-python3 and chromium, and `npm run build` before.
 * `--pictures DIRECTORY` keeps a picture of every panel.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { openBrowser } from '../console/e2e/browser.ts'
import { startBuiltBerth, withoutOurVariables } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { aggregates, definitions, flavors, hosts } from './horizon/compute-stories.ts'
import { Dashboard } from './horizon/dashboard.ts'
import { panels, type Story } from './horizon/panels.ts'
import { access, adminShares, memberShares, shareTypes } from './horizon/share-stories.ts'
import { startHorizon } from './horizon/site.ts'

const { pictures } = parseArgs({ options: { pictures: { type: 'string' } } }).values
if (pictures !== undefined) await mkdir(pictures, { recursive: true })

const stories: Readonly<Record<string, readonly [who: 'admin' | 'member', story: Story]>> = {
  'panels of an admin': ['admin', panels('admin')],
  'panels of a member': ['member', panels('member')],
  flavors: ['admin', flavors],
  aggregates: ['admin', aggregates],
  hosts: ['admin', hosts],
  definitions: ['admin', definitions],
  'share types': ['admin', shareTypes],
  'shares of a member': ['member', memberShares],
  'access of a share': ['member', access],
  'shares for an admin': ['admin', adminShares],
}

const berth = await startBuiltBerth('--demo')
const claims = new Claims(line => console.log(line))

/** The output of a command of Berth, run where the server runs. */
async function run(...args: readonly string[]): Promise<string> {
  const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
  const env = { ...withoutOurVariables(), BERTH_PORT: new URL(berth.url).port }
  return (await promisify(execFile)(program, args, { cwd: berth.directory, env })).stdout
}

async function ask(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${berth.url}${path}`, {
    method,
    headers: {
      'x-auth-token': berth.token,
      'content-type': 'application/json',
      'x-openstack-manila-api-version': '2.65',
      'x-openstack-manila-api-experimental': 'True',
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

try {
  const password = (await readFile(join(berth.directory, 'berth-data/admin-password'), 'utf8')).trim()
  await run('project', 'create', 'lab')
  const made = JSON.parse(
    await run('user', 'create', 'mia', '--project', 'lab', '--role', 'member', '--json'),
  )
  const passwords = { admin: ['admin', password], member: ['mia', made.password] } as const
  const site = await startHorizon(berth.url)
  const browser = await openBrowser()
  try {
    for (const [name, [who, story]] of Object.entries(stories)) {
      console.log(name)
      const [user, secret] = passwords[who]
      const dashboard = await Dashboard.signIn(browser, site.url, user, secret)
      const claim = async (what: string, check: () => Promise<void>) => {
        await claims.claim(what, check)
        const file = `${name} ${what}`.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 90)
        if (pictures !== undefined) await dashboard.picture(join(pictures, `${file}.png`))
      }
      await claims.claim('ends without an error', () => story({ dashboard, claim, ask }))
      await dashboard.close()
    }
  } finally {
    await browser.close()
    await site.stop()
  }
  process.exitCode = claims.end()
} finally {
  await berth.stop()
}
