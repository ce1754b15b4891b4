/** What can be known of the Debian packages by reading; prove.sh installs them. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isKeyName, keyNames, variableOf } from '../../src/config/keys.ts'

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const packages = ['berth', 'berth-placement'] as const

test.each(packages)('%s: the scripts are valid shell and stop at the first failure', name => {
  for (const script of ['postinst', 'prerm', 'postrm']) {
    const source = text(`${name}/${script}`)
    expect(source).toMatch(/^#!\/bin\/sh\nset -e\n/)
    const { status, stderr } = spawnSync('sh', ['-n'], { input: source, encoding: 'utf8' })
    expect([script, status, stderr]).toEqual([script, 0, ''])
  }
})

test.each(packages)('%s: a removal leaves the data, a purge takes it', name => {
  const [removal = '', purge = ''] = text(`${name}/postrm`).split('  purge)')
  expect(removal).not.toMatch(/\brm\b.*\/var\/lib/)
  expect(purge).toMatch(/\brm -rf \/var\/lib\//)
})

test('the settings that the packages bring are settings of Berth', () => {
  expect(Object.keys(JSON.parse(text('berth/berth.json'))).every(isKeyName)).toBe(true)
  for (const file of ['berth/berth.env', 'berth-placement/placement-api.default']) {
    const named = [...text(file).matchAll(/^#?(BERTH_\w+)=/gm)].map(match => match[1])
    expect(named.length).toBeGreaterThan(3)
    for (const variable of named) expect(keyNames.map(variableOf)).toContain(variable)
  }
})

test('what replaces Debian’s Placement cannot be installed beside it', () => {
  const control = text('berth-placement/control')
  for (const field of ['Conflicts', 'Replaces'])
    expect(control).toMatch(new RegExp(`^${field}: placement-api, python3-placement$`, 'm'))
  expect(control).toMatch(/^Depends: .*berth \(= @VERSION@\)/m)
})
