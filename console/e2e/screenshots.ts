/** `npm run screenshots`: every view, light and dark, from the demo cloud, into docs/console. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { addRacks, importCloud, useCloud } from './bench-cloud.ts'
import { openBrowser, signInAs } from './browser.ts'
import { Server } from './server.ts'

interface Shot {
  readonly name: string
  readonly path: string
  readonly height?: number
  readonly token?: string | null
  readonly server?: 'large' | 'empty'
  readonly act?: (page: Page) => Promise<void>
}

const GPU_REQUEST =
  'resources_CPU=VCPU:8,MEMORY_MB:16384&resources_GPU=PGPU:1&resources_NET=SRIOV_NET_VF:1' +
  '&same_subtree=_CPU,_GPU,_NET&group_policy=none'
const FULL_REQUEST =
  'resources=VCPU:8,MEMORY_MB:32768,DISK_GB:80&member_of=c953fe61-054b-5c7f-aa53-f70be530c2c0'

/** Of the demo, whose ids are always the same. */
const SHARES = {
  db1: '85feddc3-168f-5990-9c05-ed87a1d9dd2f',
  db2: '3782fbcc-9adb-56ef-8eec-3057ed52637e',
  db3: 'ec4f7231-5343-5c82-a1ac-4749e282307c',
  web: '15cdd995-d4df-58fc-afc3-20929fdee782',
  results: 'acab5dd9-b474-5ab6-b3a5-ed911c66ef78',
} as const

const showsRacks = (page: Page): Promise<void> =>
  page
    .getByRole('link', { name: /^Rack / })
    .first()
    .waitFor({ timeout: 120_000 })

const shots: readonly Shot[] = [
  { name: 'sign-in', path: '/', token: null, height: 640, server: 'empty' },
  { name: 'capacity', path: '/', height: 760 },
  { name: 'capacity-racks', path: '/?class=MEMORY_MB', height: 760, server: 'large', act: showsRacks },
  {
    name: 'capacity-dense',
    path: '/?as=dense&by=none&class=MEMORY_MB',
    server: 'large',
    act: page => page.getByRole('application').first().waitFor({ timeout: 120_000 }),
  },
  {
    name: 'change-hosts',
    path: '/hosts/change?do=take-down&rack=Rack+b2',
    height: 1_000,
    act: page => page.getByRole('grid', { name: 'Servers without a place' }).waitFor(),
  },
  { name: 'capacity-table', path: '/?as=table&sort=-share' },
  { name: 'providers', path: '/providers?kind=all' },
  { name: 'provider', path: '/providers/6241b3d2-1428-50f4-aba5-a65e083305d1' },
  {
    name: 'candidates',
    path: `/candidates?${GPU_REQUEST}`,
    act: page => page.getByRole('heading', { name: 'Drawn in the tree' }).waitFor(),
  },
  {
    name: 'no-candidate',
    path: `/candidates?${FULL_REQUEST}`,
    height: 1_100,
    act: page => page.getByRole('heading', { name: 'The nearest misses' }).waitFor(),
  },
  {
    name: 'fit',
    path: '/why',
    height: 800,
    act: page => page.getByRole('link', { name: /^m1\.large in b: \d+$/ }).waitFor(),
  },
  {
    name: 'why',
    path: '/why?flavor=d1.dense&zone=a',
    height: 1_100,
    act: page => page.getByRole('heading', { name: 'Any one of these would help' }).waitFor(),
  },
  {
    name: 'what-if',
    path: '/what-if?flavor=m1.large&drain=gp-a1-01,gp-a1-02&like=gp-a1-04&count=2',
    height: 1_000,
    act: page => page.getByRole('heading', { name: 'Where servers would go' }).waitFor(),
  },
  {
    name: 'decisions',
    path: '/decisions',
    height: 620,
    act: page => page.getByRole('link', { name: 'shop-web-3' }).waitFor(),
  },
  {
    name: 'refused',
    path: '/decisions?outcome=refused',
    height: 1_000,
    act: async page => {
      await page.getByRole('grid', { name: 'Decisions' }).getByRole('link').first().click()
      await page.getByRole('list', { name: 'Changes that would help' }).first().waitFor()
    },
  },
  { name: 'usage', path: '/usage?zone=b', height: 900 },
  { name: 'activity', path: '/activity', height: 700 },
  {
    name: 'home',
    path: '/',
    token: 'alice:shop:member,reader',
    height: 1_300,
    act: page => page.getByRole('link', { name: 'm1.small' }).waitFor(),
  },
  {
    name: 'decision',
    path: '/why?flavor=m1.large',
    act: async page => {
      await page.getByRole('button', { name: 'Keep as a decision' }).click()
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('status').filter({ hasText: 'result' }).waitFor()
      await page.evaluate(() => scrollTo(0, 0))
    },
  },
  {
    name: 'server',
    path: '/decisions',
    height: 760,
    act: async page => {
      await page.getByRole('link', { name: 'shop-web-3' }).click()
      await page.getByRole('region', { name: 'What it holds' }).waitFor()
    },
  },
  { name: 'flavors', path: '/flavors', height: 700 },
  {
    name: 'metadata-editor',
    path: '/flavors',
    height: 1_000,
    act: async page => {
      await page.getByRole('link', { name: 'd1.dense' }).click()
      await page.getByRole('textbox', { name: 'Search available keys' }).fill('cpu_info')
      await page.getByRole('status').filter({ hasText: 'Matches' }).waitFor()
    },
  },
  { name: 'shares', path: '/shares', height: 760 },
  { name: 'share', path: `/shares/${SHARES.db1}`, height: 1_250 },
  { name: 'share-error', path: `/shares/${SHARES.db3}`, height: 1_000 },
  { name: 'share-moving', path: `/shares/${SHARES.results}`, height: 760 },
  {
    name: 'share-new',
    path: `/shares/new?name=shop-cache&size=200&type=fast&near=${SHARES.web}&away=${SHARES.db2}`,
    height: 900,
    act: async page => {
      await page.getByRole('list', { name: 'Pools', exact: true }).waitFor()
    },
  },
  {
    name: 'share-move',
    path: `/shares/${SHARES.db2}/move`,
    height: 800,
    act: async page => {
      await page.getByRole('checkbox', { name: /hints forbid/ }).check()
      await page.getByRole('radio', { name: 'filer@nas-a#ssd' }).check()
    },
  },
  { name: 'aggregate', path: '/aggregates/4' },
  { name: 'catalog', path: '/catalog' },
  { name: 'namespace', path: '/catalog/namespaces/Berth%3A%3AFlavor%3A%3ACPU' },
  { name: 'catalog-drift', path: '/catalog/drift' },
  { name: 'users', path: '/access/users', height: 640, server: 'empty' },
  { name: 'user', path: '/access/users/ray', height: 900, server: 'empty' },
]

const PASSWORD = 'a long enough secret'
const ACCOUNTS = [
  ['ann', 'shop', 'manager'],
  ['joe', 'genomes', 'member'],
  ['ray', 'lab', 'member'],
  ['rae', 'office', 'reader'],
] as const

const target = fileURLToPath(new URL('../../docs/console/', import.meta.url))
const only = process.argv.slice(2)
const wanted = shots.filter(({ name }) => only.length === 0 || only.includes(name))
mkdirSync(target, { recursive: true })
const server = new Server('--demo', '--auth', 'noauth2')
const large = new Server('--auth', 'noauth2')
const empty = new Server()
const browser = await openBrowser()
try {
  await server.start()
  await prepare()
  await empty.start()
  await prepareAccounts()
  if (wanted.some(one => one.server === 'large')) await startLarge()
  for (const scheme of ['light', 'dark'] as const) for (const shot of wanted) await take(shot, scheme)
} finally {
  await browser.close()
  await server.end()
  await large.end()
  await empty.end()
}

async function startLarge(): Promise<void> {
  await large.start()
  const hosts = await importCloud(large)
  await addRacks(large)
  await useCloud(large, hosts)
}

/** Decisions by a member, one of them a refusal, and some extra specs that show what the editor can do. */
async function prepare(): Promise<void> {
  const asked = [
    ['shop-web-1', 'm1.small'],
    ['shop-web-2', 'm1.small'],
    ['shop-vault', 'v1.vault'],
    ['shop-db', 'r1.large'],
    ['shop-web-3', 'm1.large'],
  ]
  for (const [name, flavor] of asked)
    await fetch(`${server.url}/v1/schedule`, {
      method: 'POST',
      headers: { 'x-auth-token': 'alice:shop:admin', 'content-type': 'application/json' },
      body: JSON.stringify({ flavor, names: [name] }),
    })
  type Flavors = { flavors: { id: string; name: string }[] }
  const { flavors } = await server.ask<Flavors>('GET', '/compute/v2.1/flavors')
  const { id } = flavors.find(({ name }) => name === 'd1.dense') as { id: string }
  await fetch(`${server.url}/compute/v2.1/flavors/${id}/os-extra_specs`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
    body: JSON.stringify({
      extra_specs: {
        'aggregate_instance_extra_specs:tier': '<or> large <or> ~',
        'capabilities:hypervisor_type': '<or> QEMU <or> KVM',
        'hw:cpu_polcy': 'dedicated',
      },
    }),
  })
}

type Named = { readonly id: string; readonly name: string }

/** Some users with roles, one who signed in, and one who may not. */
async function prepareAccounts(): Promise<void> {
  const ask = <T>(method: string, path: string, body?: object) =>
    empty.ask<T>(method, `/identity/v3${path}`, body, empty.adminToken)
  const { roles } = await ask<{ roles: Named[] }>('GET', '/roles')
  const roleOf = (name: string) => roles.find(one => one.name === name)?.id
  for (const [name, project, role] of ACCOUNTS) {
    const made = await ask<{ project: Named }>('POST', '/projects', { project: { name: project } })
    const fields = {
      name,
      password: PASSWORD,
      email: `${name}@example.org`,
      default_project_id: made.project.id,
    }
    const { user } = await ask<{ user: Named }>('POST', '/users', { user: fields })
    await ask('PUT', `/projects/${made.project.id}/users/${user.id}/roles/${roleOf(role)}`)
    if (name === 'joe') await ask('PATCH', `/users/${user.id}`, { user: { enabled: false } })
    if (name === 'ray') await signInWithCredential(user.id, made.project.id)
  }
}

async function signInWithCredential(user: string, project: string): Promise<void> {
  const answer = await fetch(`${empty.url}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user: { id: user, password: PASSWORD } } },
        scope: { project: { id: project } },
      },
    }),
  })
  const token = answer.headers.get('x-subject-token') as string
  await empty.ask(
    'POST',
    `/identity/v3/users/${user}/application_credentials`,
    { application_credential: { name: 'ci', roles: [{ name: 'reader' }] } },
    token,
  )
}

async function take(
  { name, path, height = 900, token = 'admin', server: which, act }: Shot,
  scheme: 'light' | 'dark',
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1360, height }, colorScheme: scheme })
  const page = await context.newPage()
  const { url } = which === 'large' ? large : which === 'empty' ? empty : server
  if (token !== null) await signInAs(page, url, which === 'empty' ? empty.adminToken : token)
  await page.goto(`${url}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await act?.(page)
  await page
    .getByRole('status')
    .filter({ hasText: /^ ?Reading/ })
    .first()
    .waitFor({ state: 'detached' })
  // Fonts, and what comes after the first answer.
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(900)
  await page.screenshot({ path: `${target}${name}-${scheme}.png` })
  await context.close()
  console.log(`docs/console/${name}-${scheme}.png`)
}
