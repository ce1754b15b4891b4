import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from './config.ts'
import { findDifferences, setConfigs } from './set-configs.ts'

let root: string
let sources: string
const me = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kolla-'))
  sources = join(root, 'sources')
  mkdirSync(join(root, 'etc'))
  mkdirSync(sources)
  writeFileSync(join(root, 'etc/passwd'), `root:x:0:0::/:\nplacement:x:${me.uid}:${me.gid}::/:\n`)
  writeFileSync(join(root, 'etc/group'), `placement:x:${me.gid}:\nkolla:x:${me.gid}:\n`)
  write('placement.conf', '[DEFAULT]\n')
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(sources, name), text)
const at = (path: string) => join(root, path)
const modeOf = (path: string) => (statSync(at(path)).mode & 0o7777).toString(8)

function configure(config: object) {
  const path = join(sources, 'config.json')
  writeFileSync(path, JSON.stringify({ command: 'uwsgi /etc/placement/uwsgi.ini', ...config }))
  return parseConfig(path)
}
const conf = () => ({
  source: join(sources, 'placement.conf'),
  dest: '/etc/placement/placement.conf',
  owner: 'placement',
  perm: '0600',
})
const set = (config: object, strategy: string | undefined = 'COPY_ALWAYS') =>
  setConfigs(root, configure(config), strategy, () => {})

test('files are copied with their mode, directories made, the command written, and a check finds nothing', () => {
  const config = {
    config_files: [conf()],
    directories: [{ path: '/var/log/kolla/placement', owner: 'placement:kolla', perm: '2775' }],
    files: [{ path: '/var/log/kolla/placement/placement-api.log', owner: 'placement:kolla', perm: '0664' }],
    permissions: [{ path: '/var/log/kolla/placement/*.log', owner: 'placement:kolla', perm: '0640' }],
  }
  set(config)
  expect(readFileSync(at('run_command'), 'utf8')).toBe('uwsgi /etc/placement/uwsgi.ini')
  expect(modeOf('etc/placement/placement.conf')).toBe('600')
  expect(modeOf('var/log/kolla/placement')).toBe('2775')
  expect(modeOf('var/log/kolla/placement/placement-api.log')).toBe('640')
  expect(findDifferences(root, configure(config))).toEqual([])
})

test('a check names content, mode, command and file that differ', () => {
  set({ config_files: [conf()] })
  write('placement.conf', '[api]\n')
  expect(findDifferences(root, configure({ config_files: [conf()] }))[0]).toContain('differs from')
  set({ config_files: [conf()] })
  expect(findDifferences(root, configure({ config_files: [{ ...conf(), perm: '0640' }] }))[0]).toMatch(
    /has mode 600, not 640$/,
  )
  expect(findDifferences(root, configure({ command: 'other' }))).toEqual([
    'command: uwsgi /etc/placement/uwsgi.ini is not other',
    `${at('etc/placement/placement.conf')} is no longer configured`,
  ])
})

test('what a later configuration does not have is taken away', () => {
  const policy = { ...conf(), source: join(sources, 'policy.yaml'), dest: '/etc/placement/policy.yaml' }
  write('policy.yaml', '{}\n')
  set({ config_files: [conf(), policy] })
  expect(existsSync(at('etc/placement/policy.yaml'))).toBe(true)
  set({ config_files: [conf()] })
  expect(existsSync(at('etc/placement/policy.yaml'))).toBe(false)
  expect(existsSync(at('etc/placement/placement.conf'))).toBe(true)
})

test('patterns, directories and what is optional are copied as far as they are there', () => {
  mkdirSync(join(sources, 'ca-certificates'))
  write('ca-certificates/one.crt', 'one')
  const owned = { owner: 'placement', perm: '0644' }
  set({
    config_files: [
      { source: join(sources, 'ca-certificates'), dest: '/var/lib/kolla/share/ca-certificates', ...owned },
      { source: join(sources, '*.conf'), dest: '/etc/placement/', ...owned },
      { source: join(sources, 'none'), dest: '/etc/none', optional: true, ...owned },
    ],
  })
  expect(readFileSync(at('var/lib/kolla/share/ca-certificates/one.crt'), 'utf8')).toBe('one')
  expect(modeOf('var/lib/kolla/share/ca-certificates')).toBe('755')
  expect(existsSync(at('etc/placement/placement.conf'))).toBe(true)
  expect(existsSync(at('etc/none'))).toBe(false)
})

test('COPY_ONCE copies once', () => {
  set({ config_files: [conf()] }, 'COPY_ONCE')
  write('placement.conf', '[api]\n')
  set({ config_files: [conf()] }, 'COPY_ONCE')
  expect(readFileSync(at('etc/placement/placement.conf'), 'utf8')).toBe('[DEFAULT]\n')
})

test.each([
  [{ command: '' }, /command is missing/],
  [{ config_files: [{ source: '/x' }] }, /config_files\[0\] lacks dest/],
  [{ config_files: [{ source: '/x', dest: '/y' }] }, /needs owner and perm, or preserve_properties/],
  [
    { config_files: [{ source: '/x', dest: '/y', owner: 'placement', perm: 'rw' }] },
    /perm rw, which is no mode/,
  ],
  [{ config_files: [{ source: '/none/x', dest: '/y', owner: 'placement', perm: '0600' }] }, /does not exist/],
  [{ directories: [{ path: '/x', owner: 'nobody', perm: '0700' }] }, /nobody is in no line of \/etc\/passwd/],
  [{ permissions: {} }, /permissions is no list/],
])('%j is refused', (config, text) => {
  expect(() => set(config)).toThrow(text)
})

test('a strategy that Kolla does not have is refused', () => {
  expect(() => set({}, 'COPY')).toThrow(/COPY_ALWAYS or COPY_ONCE/)
})
