import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { berthCommands } from '../berth-commands.ts'
import { asCurl, asOpenstack } from './commands.ts'
import { parseQuery } from './query.ts'

const optionsOf = (query: string): string[] | undefined =>
  asOpenstack(parseQuery(query)).command?.split(' \\\n  ').slice(1)

describe('a request as a command of openstack', () => {
  test('a list of traits of which one will do has only commas: the client writes the rest', () => {
    expect(optionsOf('resources=VCPU:1&required=A&required=in:B,C&limit=5')).toEqual([
      '--resource=VCPU=1',
      '--required=A',
      '--required=B,C',
      '--limit=5',
    ])
  })

  test('groups have all their constraints, with suffixes of one character', () => {
    expect(
      optionsOf(
        'resources_GPU=PGPU:1&required_GPU=in:A,B&required_GPU=!C&member_of_GPU=in:x,y&resources1=VCPU:1&group_policy=isolate',
      ),
    ).toEqual([
      ...['--group 2', '--resource=PGPU=1', '--required=A,B', '--forbidden=C', '--member-of=x,y'],
      ...['--group 1', '--resource=VCPU=1'],
      '--group-policy isolate',
    ])
  })

  test.each([
    ['resources=VCPU:1&in_tree=x', 'a certain tree'],
    ['resources=VCPU:1&member_of=!x', 'aggregates to stay out of'],
    ['resources=VCPU:1&root_required=A', 'traits of the root'],
    ['resources1=VCPU:1&required2=A&group_policy=none', 'a group without resources'],
    ['resources1=VCPU:1&same_subtree=1', 'groups in the same subtree'],
    ['resources=VCPU:1&pony=yes', '“pony”'],
  ])('%s cannot be said, and it is told why', (query, what) => {
    expect(asOpenstack(parseQuery(query))).toEqual({
      command: null,
      why: `The openstack client has no option for ${what}.`,
    })
  })
})

/** What a shell makes of a command: the words after the first. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8', env: {} }).split('\0')

describe('a shell reads every value of a link as one word', () => {
  const nasty = '$(touch x)`id`;rm -rf ~ \'"\\ & | > * #'

  test.each([
    ['curl', asCurl('http://berth', `resources=${nasty}`)],
    ['berth', berthCommands.candidates(`resources=${nasty}`)],
    ['openstack', asOpenstack(parseQuery(`resources=A${encodeURIComponent(nasty)}:1`)).command as string],
  ])('as %s', (_, command) => {
    expect(wordsOf(command).some(word => word.includes(nasty))).toBe(true)
  })

  test('any text at all', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), text => {
        const trait = text.replaceAll(/[,!\0]/g, '_')
        if (trait.startsWith('in:')) return
        const { command } = asOpenstack(parseQuery(`resources=VCPU:1&required=${encodeURIComponent(trait)}`))
        expect(wordsOf(command as string)).toContain(`--required=${trait}`)
      }),
      { numRuns: 30 },
    )
  })
})
