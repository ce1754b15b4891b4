import type { ServerPlan } from '../../wire/plan.ts'
import { serverTitle } from '../../words/server-title.ts'
import { flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const GAINS = {
  'servers-on-hosts': 'servers on these hosts',
  'empty-hosts': 'hosts without servers',
  'fitting-servers': 'servers that fit',
} as const

/** The moves, what they cost and bring, and what stays. */
export function planText(plan: ServerPlan, look: Look): string {
  const { moves, cost, gain, stuck, others } = plan
  const { style } = look
  const title = `${escapeControls(plan.what)}: ${counted(cost.moves, 'move')}`
  const head = plan.is_reached
    ? style.good(title)
    : style.bad(`${title}, which ${moves.length === 1 ? 'does' : 'do'} not reach it`)
  const rows = moves.map(({ wave, instance, name, from, to, flavor, gib }) => [
    wave,
    serverTitle(instance, name),
    from,
    to,
    flavor,
    gib,
  ])
  const columns = [
    right('WAVE'),
    'SERVER',
    flexible('FROM'),
    flexible('TO'),
    flexible('FLAVOR'),
    right('GIB'),
  ]
  const cuts = [
    plan.is_reached && plan.is_shortest ? 'No plan has fewer moves.' : null,
    plan.is_exhausted ? 'The search reached its limit; a larger --steps may find more.' : null,
    others > 0 ? `${counted(others, 'other consumer', 'other consumers')} there cannot be moved.` : null,
  ].filter(one => one !== null)
  const parts = [
    `${head} ${style.dim(`at revision ${plan.revision}`)}\n`,
    moves.length === 0 ? '' : table(columns, rows, look),
    `${GAINS[gain.of]}: ${gain.before} now, ${gain.after} then${gain.wanted === null || gain.of === 'servers-on-hosts' ? '' : `, ${gain.wanted} wanted`}\n` +
      `moved: ${counted(cost.servers, 'server')}, ${cost.gib} GiB, in ${counted(cost.waves, 'wave')}\n`,
    stuck
      .map(
        one =>
          `${style.bad('stays:')} ${escapeControls(serverTitle(one.instance, one.name))} on ${escapeControls(one.host)}: ${escapeControls(one.text)}\n`,
      )
      .join(''),
    cuts.map(line => `${style.dim(line)}\n`).join(''),
  ]
  return parts.filter(part => part !== '').join('\n')
}
