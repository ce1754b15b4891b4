/**
 * Runs the shell snippets of pages (`scripts/snippets.ts` says how they are marked) and writes what they printed into the
 * pages. `--check` only says which pages are not current. Without names of pages it takes all that have snippets to run.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ADMIN_PASSWORD, RealKeystone } from '../e2e/keystone/real-keystone.ts'
import { buildIfNeeded, startBuiltBerth, withoutOurVariables } from './built-berth.ts'
import { freePort } from './free-port.ts'
import { type Page, parsePage, type Step, withOutputs } from './snippets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Where the snippets of a page run: pages name usual ports and paths, a run has its own. */
interface Sandbox {
  readonly directory: string
  /** By the port that pages name. */
  readonly ports: ReadonlyMap<string, string>
  readonly variables: Record<string, string>
  stop(): Promise<void>
}

async function sandboxFor(setting: string | null): Promise<Sandbox> {
  const flags = /^against berth serve ?(.*)$/.exec(setting ?? '')?.[1]
  if (flags !== undefined) return besideServer(flags.split(' ').filter(flag => flag !== ''))
  if (setting === 'in a copy of the repository') return inCopy()
  if (setting === 'with Keystone') return withKeystone()
  if (setting === null) return emptyDirectory()
  throw new Error(`'${setting}' is no setting of snippets`)
}

async function emptyDirectory(): Promise<Sandbox> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-snippets-'))
  makeSystemDirectories(directory)
  const ports = await freshPorts()
  const variables = { BERTH_PORT: ports.get('8778') as string, PATH: withBerth() }
  return {
    directory,
    ports,
    variables,
    stop: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

async function besideServer(flags: readonly string[]): Promise<Sandbox> {
  const berth = await startBuiltBerth(...flags)
  const port = new URL(berth.url).port
  makeSystemDirectories(berth.directory)
  symlinkSync(join(berth.directory, 'berth-data'), join(berth.directory, 'var/lib/berth'))
  const variables = { BERTH_PORT: port, PATH: withBerth() }
  const ports = new Map([...(await freshPorts()), ['8778', port] as const])
  return { directory: berth.directory, ports, variables, stop: () => berth.stop() }
}

/** As after `git clone`: what is committed or staged, and nothing that was built. */
async function inCopy(): Promise<Sandbox> {
  const sandbox = await emptyDirectory()
  const files = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).stdout.split('\0')
  for (const file of files)
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(sandbox.directory, file))
  return { ...sandbox, variables: { ...sandbox.variables, PATH: process.env.PATH ?? '' } }
}

async function withKeystone(): Promise<Sandbox> {
  const keystone = await RealKeystone.start()
  const sandbox = await emptyDirectory()
  const variables = {
    ...sandbox.variables,
    OS_AUTH_URL: keystone.url,
    OS_USERNAME: 'admin',
    OS_PASSWORD: ADMIN_PASSWORD,
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    OS_IDENTITY_API_VERSION: '3',
  }
  return {
    ...sandbox,
    ports: new Map([...sandbox.ports, ['5000', new URL(keystone.url).port] as const]),
    variables,
    async stop() {
      await keystone.end()
      await sandbox.stop()
    },
  }
}

const withBerth = () => `${join(root, 'bin')}:${process.env.PATH}`

async function freshPorts(): Promise<ReadonlyMap<string, string>> {
  const named = ['8778', '9778']
  return new Map(await Promise.all(named.map(async port => [port, String(await freePort())] as const)))
}

/** What pages find below /; snippets find it below the directory of their run. */
const SYSTEM_DIRECTORIES = ['var/lib', 'srv', 'etc', 'tmp']
const SYSTEM_PATH = new RegExp(`(?<![\\w.$}])/(?=(?:${SYSTEM_DIRECTORIES.join('|')})/)`, 'g')

function makeSystemDirectories(directory: string): void {
  for (const path of SYSTEM_DIRECTORIES) mkdirSync(join(directory, path), { recursive: true })
}

function localised(text: string, { ports, directory }: Sandbox): string {
  const paths = text.replaceAll(SYSTEM_PATH, `${directory}/`)
  return [...ports].reduce(
    (all, [named, own]) => all.replaceAll(new RegExp(`\\b${named}\\b`, 'g'), own),
    paths,
  )
}

function asOnThePage(text: string, { ports, directory }: Sandbox): string {
  const paths = text.replaceAll(`${directory}/`, '/')
  return [...ports].reduce((all, [named, own]) => all.replaceAll(own, named), paths)
}

/** One script for the whole page, so that variables and functions last; names of its own begin with `snippets_`. */
function scriptOf(steps: readonly Step[], sandbox: Sandbox): string {
  const parts = steps.map((step, at) => {
    const text = localised(step.command, sandbox)
    const out = `"$snippets_out/${at}"`
    if (step.background) return background(text, out, sandbox)
    const ended = `[ $? -eq ${step.exit} ] || exit 99`
    return step.exit === 0
      ? `{\n${text}\n} >${out} 2>&1`
      : `set +e\n{\n${text}\n} >${out} 2>&1\n${ended}\nset -e`
  })
  return ['set -e', STOP, 'trap snippets_stop EXIT', ...parts, ''].join('\n')
}

/** Ends the server in the background and all that it started, and waits until its port is free. */
const STOP = `snippets_stop() {
  [ -n "$snippets_server" ] || return 0
  kill -- "-$snippets_server" 2>/dev/null || true
  while kill -0 -- "-$snippets_server" 2>/dev/null; do sleep 0.1; done
  snippets_server=
}`

function background(text: string, out: string, { ports }: Sandbox): string {
  const port = /--port (\d+)/.exec(text)?.[1] ?? ports.get('8778')
  const at = `127.0.0.1:${port}/readyz`
  const ready = `{ curl -fsS http://${at} || curl -fsSk https://${at}; }`
  return [
    'snippets_stop',
    `setsid bash -c ${quote(text)} >${out} 2>&1 &`,
    'snippets_server=$!',
    `for snippets_try in $(seq 600); do ${ready} >/dev/null 2>&1 && break; kill -0 $snippets_server; sleep 0.5; done`,
    `${ready} >/dev/null 2>&1`,
  ].join('\n')
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What each step printed; throws at the first that ends otherwise than the page says. */
function runSteps(page: Page, sandbox: Sandbox): Map<Step, string> {
  const steps = page.steps.filter(step => step.notRun === null)
  const out = mkdtempSync(join(tmpdir(), 'berth-printed-'))
  const script = join(out, 'script')
  writeFileSync(script, scriptOf(steps, sandbox))
  const { status } = spawnSync('bash', [script], {
    cwd: sandbox.directory,
    env: {
      ...withoutOurVariables(),
      XDG_CONFIG_HOME: sandbox.directory,
      snippets_out: out,
      snippets_server: '',
      ...sandbox.variables,
    },
    stdio: 'ignore',
  })
  const ran = steps.filter((_, at) => existsSync(join(out, String(at))))
  const printed = new Map(
    ran.map((step, at) => [step, asOnThePage(readFileSync(join(out, String(at)), 'utf8'), sandbox)]),
  )
  rmSync(out, { recursive: true, force: true })
  const last = ran.at(-1)
  if (status !== 0)
    throw new Error(
      `line ${last?.line} did not end with ${last?.exit}:\n${last?.command}\n${printed.get(last as Step)}`,
    )
  return printed
}

/** The page with what its snippets print now. */
async function renewed(text: string): Promise<string> {
  const page = parsePage(text)
  const sandbox = await sandboxFor(page.setting)
  try {
    return withOutputs(page, runSteps(page, sandbox))
  } finally {
    await sandbox.stop()
  }
}

const pagesWithSnippets = (): string[] => [
  'README.md',
  'docs/tour.md',
  ...globSync('docs/how-to/*.md', { cwd: root }).sort(),
]

async function renewAll(paths: readonly string[], onlyCheck: boolean): Promise<void> {
  buildIfNeeded()
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8')
    const { steps } = parsePage(text)
    const skipped = steps.filter(step => step.notRun !== null).length
    if (skipped === steps.length) continue
    const current = await renewed(text).catch((error: Error) => error)
    const state =
      current instanceof Error ? `FAILED: ${current.message}` : current === text ? 'ok' : 'not current'
    console.log(`${path}: ${steps.length - skipped} run, ${skipped} not run: ${state}`)
    if (current instanceof Error || (onlyCheck && current !== text)) process.exitCode = 1
    if (current instanceof Error || current === text) continue
    if (!onlyCheck) writeFileSync(join(root, path), current)
    else
      spawnSync('diff', ['-u', path, '-'], {
        cwd: root,
        input: current,
        stdio: ['pipe', 'inherit', 'inherit'],
      })
  }
}

if (import.meta.main) {
  const named = process.argv.slice(2).filter(word => word !== '--check')
  await renewAll(named.length === 0 ? pagesWithSnippets() : named, process.argv.includes('--check'))
}
