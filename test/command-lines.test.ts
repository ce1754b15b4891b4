import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { berthCommands as shown } from '../console/src/berth-commands.ts'
import { commands } from '../src/cli/commands/registry.ts'
import { remedyCommand } from '../src/scheduling/framework/refusal-text.ts'
import { berthCommands, commandProblems, mentionProblems } from './command-lines.ts'

test('every command that the console shows is one of the command line', () => {
  const ask = { flavor: "m1's", zone: 'west', host: 'node-1', volume_backed: true } as const
  const samples: { readonly [Name in keyof typeof shown]: string } = {
    fit: shown.fit(),
    switchShadow: shown.switchShadow(),
    sweepShadow: shown.sweepShadow(),
    move: shown.move('0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c'),
    addHost: shown.addHost(),
    createFlavor: shown.createFlavor(),
    createAggregate: shown.createAggregate(),
    addHostToAggregate: shown.addHostToAggregate('ssd; rm'),
    flavorsOfHost: shown.flavorsOfHost('node 1'),
    violationsOfHost: shown.violationsOfHost('node 1'),
    flavorsOfAggregate: shown.flavorsOfAggregate(8),
    violationsOfAggregate: shown.violationsOfAggregate(8),
    importCatalog: shown.importCatalog(),
    applyCloud: shown.applyCloud(),
    createToken: shown.createToken(),
    checkPolicy: shown.checkPolicy('berth:audit', 'reader'),
    trySchedule: shown.trySchedule(),
    candidates: shown.candidates('resources=VCPU:1&limit=5'),
    explainSchedule: shown.explainSchedule(ask),
  }
  expect(Object.values(samples).flatMap(commandProblems)).toEqual([])
  for (const text of Object.values(samples)) expect(berthCommands(text)).toHaveLength(1)
})

test('every command that an explanation advises is one of the command line', () => {
  const found = [{ aggregate: { id: 1, uuid: 'u', name: "ray's rack" }, text: 'a', values: ['a'] }]
  const facts = { key: 'k', name: 'k', requirement: 'b c', found, values: ['x y'], flavor: null }
  const codes = [
    'host.disabled',
    'host.down',
    'extra-spec.mismatch',
    'extra-spec.present',
    'demand.missing',
    'demand.mismatch',
    'demand.unwanted',
  ]
  for (const code of codes) {
    const command = remedyCommand({ code, facts }, 'node 1', 'm1 small')
    expect([code, command, commandProblems(command ?? 'berth nothing')]).toEqual([code, command, []])
  }
})

test('the console keeps its berth commands in one file', () => {
  const named = new RegExp(`\\bberth (${commands.map(({ name }) => name).join('|')})\\b`)
  const elsewhere = globSync('console/src/**/*.{ts,tsx}')
    .filter(path => !path.includes('.test.') && !path.endsWith('/berth-commands.ts'))
    .filter(path => named.test(readFileSync(path, 'utf8')))
  expect(elsewhere).toEqual([])
})

test('a command line knows nothing of the one before it', () => {
  const complete = 'berth flavor create m1 --disk 1 --ram 1 --vcpus 1'
  expect(commandProblems(complete)).toEqual([])
  expect(commandProblems('berth flavor create m1 --disk 1 --ram 1')).toEqual([
    expect.stringContaining('--vcpus'),
  ])
  expect(commandProblems(complete)).toEqual([])
})

test.each([
  ['berth schedule --flavor m1.small --dry-run', "unknown option '--flavor'"],
  ['berth host-aggregate add ssd node-1', "unknown command 'add'"],
  ['berth host add node-1 --inventory VCPU', 'is not an inventory'],
  ['berth host add', "missing required argument 'host'"],
  ['berth host show one two', 'too many arguments'],
  ['berth provder list', "unknown command 'provder'"],
  ['berth schedule m1.small --count many', 'many'],
  ['berth host-aggregate set ssd broken', "'broken' has no value"],
  ['berth candidates --resources VCPU', "'VCPU' is not CLASS=AMOUNT"],
  ['cat x | BERTH_TOKEN=abc bin/berth host list --bad', "unknown option '--bad'"],
  ['id=$(berth host shw x) && true', "unknown command 'shw'"],
  ['echo "at $(berth host shw x)"', "unknown command 'shw'"],
  ['true; sudo berth \\\n  host nothing', "unknown command 'nothing'"],
])('%s is refused', (text, why) => {
  expect(commandProblems(text)).toEqual([expect.stringContaining(why)])
})

test.each([
  'berth help host add',
  'berth host --help',
  'berth --version',
  'berth --url http://127.0.0.1:8778 host list -o json # all of them',
  "berth schedule m1.small --hint different_host=a --hint different_host=b 2>&1 > 'out put.json'",
  'berth apply - < cloud.json',
  'psql -U berth host; echo berth nothing; cd /srv/berth && ls',
  'for host in $(berth host list --json | jq -r ".[].name"); do berth host show "$host"; done',
])('%s is right', text => {
  expect(commandProblems(text)).toEqual([])
})

test('prose may name a command without its arguments, but not a command that is none', () => {
  expect(mentionProblems('berth apply')).toEqual([])
  expect(mentionProblems('berth applied')).toEqual([expect.stringContaining("unknown command 'applied'")])
})
