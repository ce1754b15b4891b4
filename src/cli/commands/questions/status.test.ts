import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { THREE_HOSTS } from '../../../../test/three-hosts.ts'
import type { Attention, AttentionFinding } from '../../../wire/attention.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { FakeEnvironment } from '../../process-environment.fixture.ts'
import { attentionText } from '../../render/attention.ts'
import { plainLook } from '../../render/table.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const connection = () => ['--url', berth.server.url, '--token', 'root:ops:admin']

test('nothing wrong is said in words and by exit code 0; a warning ends with 1, a note does not', async () => {
  const well = await run(['status', ...connection()])
  expect([well.exitCode, well.err]).toEqual([0, ''])
  expect(well.out).toMatch(/^Nothing needs attention at revision \d+\n\n(\d+) of \1 checks found nothing\n$/)

  await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts: THREE_HOSTS } })
  await berth.ask('PUT', '/v1/hosts/alpha', { body: { disabled: true } })
  const noted = await run(['status', ...connection()])
  expect(noted.exitCode).toBe(0)
  expect(noted.out).toContain('$ berth host set alpha --enable')

  await berth.ask('PUT', '/v1/hosts/beta', { body: { forced_down: true } })
  const wrong = await run(['status', ...connection()])
  expect(wrong.exitCode).toBe(exitCodes.differences)
  expect(wrong.out).toMatch(/^1 warning, 1 note at revision \d+\n\nwarning {3}1 host is down\n/)
  expect((await run(['status', '--json', ...connection()])).json).toMatchObject({ worst: 'warning' })
})

test('--watch on a terminal draws the screen again until nobody reads it', async () => {
  const around = new FakeEnvironment()
  around.stdout.isTerminal = true
  let screens = 0
  around.stdout.onWrite = () => {
    if (around.stdout.text.endsWith('checks found nothing\n') && ++screens === 2) around.stdout.close()
  }
  expect((await run(['status', '--watch', '--every', '1', ...connection()], { around })).exitCode).toBe(0)
  expect(around.stdout.text.split('\x1b[H\x1b[2J')).toHaveLength(3)
})

const finding = (nth: number, items: number): AttentionFinding => ({
  code: `code-${nth}`,
  severity: 'warning',
  total: 500,
  text: `finding ${nth}`,
  link: null,
  command: 'berth fleet',
  items: Array.from({ length: items }, (_, at) => ({ name: `thing-${at}`, text: 'is wrong', link: null })),
})
const attention: Attention = {
  at: '2026-11-18T12:00:00.000Z',
  revision: 7,
  worst: 'warning',
  findings: [finding(1, 20), finding(2, 20), finding(3, 1)],
  passed: ['a'],
  not_allowed: ['b'],
  failed: [{ code: 'c', text: 'no disk' }],
}

test.each([24, 30, 50])('fits on a screen of %d lines, with as many items as that allows', rows => {
  const lines = attentionText(attention, plainLook, rows).trimEnd().split('\n')
  expect(lines.length).toBeLessThan(rows)
  expect(lines.filter(line => line.includes('thing-')).length).toBeGreaterThan(rows / 3)
  expect(lines).toContain('          and 499 more')
  expect(lines.at(-2)).toBe('unknown    c: the check failed: no disk')
  expect(lines.at(-1)).toBe('1 of 5 checks found nothing; not allowed to see: b')
})

test('more findings than fit on a screen are counted, not printed; a file has all of them', () => {
  const many: Attention = {
    ...attention,
    findings: [
      ...Array.from({ length: 12 }, (_, nth) => finding(nth, 2)),
      { ...finding(12, 2), severity: 'note' },
    ],
  }
  const lines = attentionText(many, plainLook, 24).trimEnd().split('\n')
  expect(lines.length).toBeLessThan(24)
  expect(lines.filter(line => line.startsWith('warning'))).toHaveLength(8)
  expect(lines).toContain('and 4 warnings, 1 note: berth status | cat')
  expect(attentionText(many, plainLook, Number.POSITIVE_INFINITY)).toContain('note      finding 12')
})

test('lines are cut to the width of the terminal', () => {
  const narrow = attentionText(attention, { ...plainLook, width: 30 }, 24).split('\n')
  expect(Math.max(...narrow.slice(2).map(line => line.length))).toBeLessThanOrEqual(30)
})
