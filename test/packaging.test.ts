/** What can be known of units and container by reading; e2e/container.ts builds and runs the latter. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../src/cli/connection/exit-codes.ts'
import { defaultOf, keyNames, variableOf } from '../src/config/keys.ts'
import { Berth } from './running-berth.ts'

const root = new URL('../', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const ourVariables = keyNames.map(variableOf)
const standard = (name: (typeof keyNames)[number]) => Number(defaultOf(name, { terminal: false }))

test.each(['packaging/systemd/berth.service', 'packaging/systemd/berth@.service'])(
  '%s keeps its files from others',
  unit => {
    expect(text(unit)).toMatch(/^UMask=0077$/m)
    expect(text(unit)).toMatch(/^StateDirectoryMode=0700$/m)
  },
)

describe('packaging/container', () => {
  const file = text('packaging/container/Containerfile')
  const programs = new URL('packaging/container/programs/', root)

  test('it runs as a user who owns the data and nothing else', () => {
    expect(file).toMatch(/^USER placement$/m)
    expect(file).toMatch(/useradd --uid 42424 .* placement$/m)
    expect(file).toMatch(/^RUN install -d -o placement .*\/var\/lib\/berth /m)
    expect(file).toMatch(/^VOLUME \/var\/lib\/berth$/m)
    expect(file).toContain(`\nEXPOSE ${standard('port')}\n`)
  })

  test('the variables that its programs and its page name are keys of the configuration', () => {
    const named = readdirSync(programs).flatMap(name => [
      ...readFileSync(new URL(name, programs), 'utf8').matchAll(/\b(BERTH_\w+)\b/g),
    ])
    expect(named.length).toBeGreaterThan(3)
    for (const [, name] of [...named, ...file.matchAll(/\b(BERTH_\w+)\b/g)])
      expect(ourVariables).toContain(name)
  })

  test('its programs are valid shell and can be run', () => {
    for (const name of readdirSync(programs)) {
      const path = fileURLToPath(new URL(name, programs))
      const [, shell = ''] = /^#!\/bin\/(\w+)\n/.exec(readFileSync(path, 'utf8')) ?? []
      expect([name, statSync(path).mode & 0o111]).toEqual([name, 0o111])
      expect([name, spawnSync(shell, ['-n', path]).status]).toEqual([name, 0])
    }
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

  test('it has its own user, who can do nothing else', () => {
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
  const berth = await Berth.start({
    otlp_endpoint: 'http://127.0.0.1:1',
    traces_sampler: 'always_off',
    audit_cadf_webhook: 'http://127.0.0.1:1',
  })
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
