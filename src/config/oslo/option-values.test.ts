import { expect, test } from 'vitest'
import { parseIni } from './ini.ts'
import { OptionValues, ReferenceRefused } from './option-values.ts'

const values = (texts: readonly string[], env: Record<string, string> = {}) =>
  new OptionValues(
    texts.map((text, at) => ({ path: `${at}.conf`, assignments: parseIni(text) })),
    env,
  )

test('the last assignment wins in a file, a later file over an earlier, the environment over all', () => {
  const files = ['[api]\nauth_strategy = a\nauth_strategy = b', '[other]\nx = 1', '[API]\nauth_strategy = c']
  const names = [['api', 'auth_strategy']] as const
  expect(values(files.slice(0, 2)).find(names)?.text).toBe('b')
  expect(values(files).find(names)).toEqual({
    text: 'c',
    source: { from: 'file', path: '2.conf', line: 2, option: '[api] auth_strategy' },
  })
  expect(values(files, { OS_API__AUTH_STRATEGY: 'd' }).find(names)).toEqual({
    text: 'd',
    source: { from: 'environment', name: 'OS_API__AUTH_STRATEGY' },
  })
})

test('names are compared letter by letter, those of sections without regard to case', () => {
  const all = values(['[API]\nauth-strategy = a\nAuth_Strategy = b\n[placement-database]\nconnection = c'])
  expect(all.find([['api', 'auth_strategy']])).toBeNull()
  expect(all.find([['placement_database', 'connection']])).toBeNull()
  expect(all.find([['api', 'auth-strategy']])?.text).toBe('a')
})

test('variables have the name that an option has today', () => {
  const names = [
    ['g', 'new'],
    ['g', 'old'],
  ] as const
  expect(values(['[g]\nold = 1'], { OS_G__OLD: '2' }).find(names)?.text).toBe('1')
  expect(values(['[g]\nold = 1'], { OS_G__NEW: '2' }).find(names)?.text).toBe('2')
})

test('a deprecated name in a later file wins over the new one in an earlier', () => {
  const names = [
    ['g', 'new'],
    ['DEFAULT', 'old'],
  ] as const
  expect(values(['[g]\nnew = 1', '[DEFAULT]\nold = 2']).find(names)?.text).toBe('2')
  expect(values(['[g]\nnew = 1\n[DEFAULT]\nold = 2']).find(names)?.text).toBe('1')
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: oslo.config writes references so
test.each([
  ['$state_path/x', '/var/lib/x'],
  ['${state_path}x', '/var/libx'],
  ['${other.name}', 'n of /var/lib'],
  ['$near and ${near}', 'near and near'],
  ['a$$b', 'a$b'],
  ['a\\$b', 'a$b'],
  ['5$ and $5', '5$ and $5'],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
])('%s is %s', (text, expected) => {
  const all = values([
    '[DEFAULT]\nstate_path = /var/lib\n[other]\nname = n of $state_path\n[group]\nnear = near',
  ])
  expect(all.interpolate(text, 'group')).toBe(expected)
})

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: oslo.config writes references so
test('a reference stands for the value of an option, under any name of it', () => {
  const all = values([
    '[DEFAULT]\ndebug = yes\nuse_json = maybe\nlogfile = x\n[cors]\nmax_age = 1_000\n[keystone_authtoken]\nuser-name = u',
  ])
  expect(all.interpolate('$debug $log_file ${cors.max_age} ${keystone_authtoken.username}', 'api')).toBe(
    'True x 1000 u',
  )
  expect(() => all.interpolate('$use_json', 'api')).toThrow(
    new ReferenceRefused('refers to [DEFAULT] use_json, which is neither true nor false'),
  )
  expect(() => all.interpolate('${DEFAULT.debug}', 'api')).toThrow(ReferenceRefused)
  expect(() => all.interpolate('${CORS.max_age}', 'api')).toThrow(ReferenceRefused)
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above

test('a reference to nothing, and one to itself, are refused', () => {
  const all = values(['[DEFAULT]\na = $b\nb = $a'])
  expect(() => all.interpolate('pa$word', 'DEFAULT')).toThrow(
    new ReferenceRefused('refers to $word, which is not set; a dollar sign is written $$'),
  )
  expect(() => all.interpolate('$a', 'DEFAULT')).toThrow(new ReferenceRefused('refers to itself'))
})

test('references that double at every step end at a limit', () => {
  const lines = Array.from({ length: 15 }, (_, at) => `v${at} = ${`$v${at + 1}`.repeat(20)}`)
  const all = values([`[DEFAULT]\n${lines.join('\n')}\nv15 = ${'x'.repeat(60)}`])
  expect(() => all.interpolate('$v12', 'DEFAULT')).toThrow(/too long/)
})
