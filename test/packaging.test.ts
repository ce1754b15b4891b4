/** No engine builds the container here, so what can be known of it by reading is checked. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../src/cli/connection/exit-codes.ts'
import { defaultOf, keyNames, variableOf } from '../src/config/keys.ts'
import { Berth } from './running-berth.ts'

const root = new URL('../', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const ourVariables = keyNames.map(variableOf)
const standard = (name: (typeof keyNames)[number]) => Number(defaultOf(name, { terminal: false }))

interface Step {
  readonly instruction: string
  /** What follows it, flags such as `--from=build` apart. */
  readonly rest: string
  readonly flags: ReadonlyMap<string, string>
  readonly stage: number
}

function stepsOf(containerfile: string): Step[] {
  let stage = -1
  return containerfile
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .map(line => {
      const [instruction = '', ...words] = line.split(' ')
      if (instruction === 'FROM') stage++
      const first = words.findIndex(word => !word.startsWith('--'))
      const flags = words.slice(0, first).map(word => word.slice(2).split('=') as [string, string])
      return { instruction, rest: words.slice(first).join(' '), flags: new Map(flags), stage }
    })
}

test.each(['packaging/systemd/berth.service', 'packaging/systemd/berth@.service'])(
  '%s keeps its files from others',
  unit => {
    expect(text(unit)).toMatch(/^UMask=0077$/m)
    expect(text(unit)).toMatch(/^StateDirectoryMode=0700$/m)
  },
)

describe('packaging/container/Containerfile', () => {
  const steps = stepsOf(text('packaging/container/Containerfile'))
  const last = Math.max(...steps.map(step => step.stage))
  const final = (instruction: string) =>
    steps.filter(step => step.stage === last && step.instruction === instruction)

  test('every step is an instruction', () => {
    const known = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' ')
    for (const step of steps) expect(known).toContain(step.instruction)
    expect(last).toBe(1)
  })

  test('what is copied from the checkout is there', () => {
    const copies = steps.filter(step => step.instruction === 'COPY' && !step.flags.has('from'))
    const sources = copies.flatMap(step => step.rest.split(' ').slice(0, -1))
    expect(sources).toContain('package-lock.json')
    for (const source of sources) expect(existsSync(new URL(source, root)), source).toBe(true)
  })

  test('what is copied from another stage was made there', () => {
    const stages = steps
      .filter(step => step.instruction === 'FROM')
      .map(step => / AS (\w+)$/.exec(step.rest)?.[1])
    const copies = final('COPY').filter(step => step.flags.has('from'))
    expect(copies.length).toBeGreaterThan(0)
    for (const { flags, rest } of copies) {
      expect(stages.slice(0, last)).toContain(flags.get('from'))
      expect(['package.json', 'node_modules', 'dist']).toContain(/^\/opt\/berth\/(\S+) /.exec(rest)?.[1])
    }
  })

  test('its Node is new enough for package.json', () => {
    const wanted = Number(/\d+/.exec(JSON.parse(text('package.json')).engines.node)?.[0])
    for (const { rest } of steps.filter(step => step.instruction === 'FROM'))
      expect(Number(/^node:(\d+)-/.exec(rest)?.[1])).toBeGreaterThanOrEqual(wanted)
  })

  test('it runs as somebody who owns the data and nothing else', () => {
    expect(final('USER').map(step => step.rest)).toEqual(['berth'])
    const uid = final('RUN').flatMap(step => /useradd .*--uid (\d+) .* berth$/.exec(step.rest)?.[1] ?? [])
    expect(uid.map(Number)).toEqual([standard('port')])
    const [volume] = final('VOLUME').map(step => step.rest)
    expect(
      final('RUN').some(step => step.rest.includes(`-o berth`) && step.rest.endsWith(` ${volume}`)),
    ).toBe(true)
    expect(final('ENV')[0]?.rest).toContain(`BERTH_DATA_DIR=${volume}`)
  })

  test('its port is the default one, its variables are keys of the configuration', () => {
    expect(final('EXPOSE').map(step => Number(step.rest))).toEqual([standard('port')])
    const variables = final('ENV').flatMap(step =>
      [...step.rest.matchAll(/(BERTH_\w+)=/g)].map(match => match[1]),
    )
    expect(variables.length).toBeGreaterThan(0)
    for (const name of variables) expect(ourVariables).toContain(name)
  })

  test('its health check says whether a server is ready', async () => {
    const command: string[] = JSON.parse(final('HEALTHCHECK')[0]?.rest.replace(/^CMD /, '') ?? '')
    expect(command[0]).toBe('node')
    const check = async (port: string) => {
      const env = { ...process.env, BERTH_PORT: port }
      const [code] = await once(spawn(process.execPath, command.slice(1), { env, stdio: 'ignore' }), 'exit')
      return code
    }
    const berth = await Berth.start()
    const { port } = new URL(berth.server.url)
    expect(await check(port)).toBe(0)
    await berth.end()
    expect(await check(port)).toBe(1)
  })
})

describe.each([
  ['packaging/systemd/berth.service', '/opt/berth/bin/berth serve'],
  ['packaging/systemd/berth@.service', '/opt/berth/bin/berth serve --port %i'],
])('%s', (path, command) => {
  const unit = text(path)
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  test('every line is a comment, a section or a setting', () => {
    for (const line of unit.split('\n')) expect(line).toMatch(/^(#.*|\[\w+\]|\w+=.*|)$/)
  })

  test('it starts the command that this repository has, with variables that it knows', () => {
    expect(setting('ExecStart')).toBe(command)
    expect(existsSync(new URL('bin/berth', root))).toBe(true)
    for (const [, name] of (setting('Environment') ?? '').matchAll(/(BERTH_\w+)=/g))
      expect(ourVariables).toContain(name)
  })

  test('it has a user of its own, who can do nothing else', () => {
    expect([setting('User'), setting('DynamicUser')]).toEqual(['berth', 'yes'])
    expect([setting('NoNewPrivileges'), setting('CapabilityBoundingSet')]).toEqual(['yes', ''])
    expect([setting('StateDirectoryMode'), setting('UMask')]).toEqual(['0700', '0077'])
  })

  test('it waits longer for the end than the server does', () => {
    const lingerMs = Number(/BERTH_DRAIN_LINGER_MS=(\d+)/.exec(unit)?.[1] ?? standard('drain_linger_ms'))
    expect(Number(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(standard('drain_timeout_ms') + lingerMs)
  })

  test('it starts again after a fault, but not where a person is needed', () => {
    const needPerson = [exitCodes.usage, exitCodes.store, exitCodes.configuration]
    expect(setting('Restart')).toBe('on-failure')
    expect(setting('RestartPreventExitStatus')).toBe(needPerson.join(' '))
  })
})

test('docs/how-to/watch.md asks for metrics that there are, by labels that they have', async () => {
  const page = text('docs/how-to/watch.md')
  const berth = await Berth.start({ otlp_endpoint: 'http://127.0.0.1:1', traces_sampler: 'always_off' })
  await berth.ask('GET', '/allocation_candidates?resources=VCPU:1', { minor: 39 })
  const metrics = (await (await fetch(`${berth.server.url}/metrics`)).text()).split('\n')
  await berth.end()
  const named = new Set(
    [...page.matchAll(/\b(berth_[a-z_]+?)(?:_bucket|_sum|_count)?(?=[[{` )])/g)].map(match => match[1]),
  )
  expect(named.size).toBeGreaterThan(8)
  for (const name of named)
    expect(
      metrics.some(line => line.startsWith(`# TYPE ${name} `)),
      name,
    ).toBe(true)
  for (const [, label, value] of page.matchAll(/\b(route|le)="([^"]+)"/g))
    expect(
      metrics.some(line => line.includes(`${label}="${value}"`)),
      `${label} ${value}`,
    ).toBe(true)
})
