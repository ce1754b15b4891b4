import type {
  ComparedDecision,
  DecisionDetail,
  ListedDecision,
  ReplayedDecision,
} from '../../wire/decisions.ts'
import { marginText, verdictWords, whoText } from '../../words/decision-words.ts'
import { filterFunnel, hostsText, inWords } from './funnel.ts'
import { facts, flexible, type Look, right, table } from './table.ts'
import { escapeControls } from './text-width.ts'

const placedText = ({ placed }: Pick<ListedDecision, 'placed'>): string =>
  placed.map(({ host }) => host).join(', ') || '-'

/** Names where they are known. */
const aboutText = ({ asked: { query, instances, names } }: ListedDecision): string =>
  query ?? instances.map(uuid => names[uuid] ?? uuid).join(', ')

export const decisionTable = (decisions: readonly ListedDecision[], look: Look): string =>
  table(
    [
      ...['ID', 'AT', 'KIND', 'OUTCOME'],
      flexible('FLAVOR'),
      flexible('SERVERS OR QUERY'),
      flexible('WHO'),
      flexible('HOSTS, OR WHY NOT'),
    ],
    decisions.map(one => [
      ...[one.id, one.at, one.kind, one.outcome, one.asked.flavor ?? '-', aboutText(one)],
      ...[whoText(one), one.reason ?? placedText(one)],
    ]),
    look,
  )

/** For a stream of them. */
export function decisionLine(one: ListedDecision, { style }: Look): string {
  const { at, kind, outcome, asked, reason, id } = one
  const paint = outcome === 'refused' ? style.bad : style.good
  const what = [kind, asked.flavor ?? '', aboutText(one)].filter(part => part !== '').join(' ')
  return `${at} ${paint(outcome)} ${escapeControls(`${what}: ${reason ?? placedText(one)} (${whoText(one)})`)} ${style.dim(id)}`
}

export function decisionText(decision: DecisionDetail, look: Look): string {
  const { choice } = decision
  return [
    facts(
      [
        ['id', decision.id],
        ['at', decision.at],
        ['kind', decision.kind],
        ['outcome', decision.outcome],
        ['who', whoText(decision)],
        ['request', decision.request_id ?? '-'],
        ['global request', decision.global_request_id ?? '-'],
        ['chosen from revision', String(decision.revision)],
        ['claimed on revision', String(decision.decided_revision)],
        ['seed', String(decision.seed)],
        ...askedFacts(decision.asked),
        ...(decision.reason === null ? [] : [['refused because', decision.reason] as [string, string]]),
      ],
      look,
    ),
    placedTable(decision.placed, look),
    ...(choice === null ? [] : [filterFunnel(choice.funnel, look, inWords), scoresText(choice.top, look)]),
    nextSteps(decision, look),
  ]
    .filter(part => part !== '')
    .join('\n')
}

/** What leads on. */
function nextSteps({ id, kind }: DecisionDetail, { style }: Look): string {
  if (kind !== 'schedule' && kind !== 'move' && kind !== 'dry-run') return ''
  return ['explain', 'compare', 'replay'].map(step => style.dim(`$ berth decision ${step} ${id}\n`)).join('')
}

const scoresText = (top: NonNullable<DecisionDetail['choice']>['top'], look: Look): string =>
  top.length === 0
    ? ''
    : `${scoreTable(top, look)}${escapeControls(marginText(top))}\n${top.flatMap(measuredLines).join('')}`

/** What weighers say in words of one host. */
const measuredLines = ({ host, weighers }: NonNullable<DecisionDetail['choice']>['top'][number]): string[] =>
  weighers.flatMap(({ weigher, text }) =>
    text === undefined ? [] : `${escapeControls(`${host}: ${weigher}: ${text}`)}\n`,
  )

/** The best hosts, with a column for each weigher. */
function scoreTable(top: NonNullable<DecisionDetail['choice']>['top'], look: Look): string {
  const weighers = (top[0]?.weighers ?? []).map(({ weigher }) => weigher)
  const best = top[0]?.weight ?? 0
  return table(
    [
      flexible('HOST'),
      right('WEIGHT'),
      right('BEHIND'),
      ...weighers.map(name => right(name.replace(/Weigher$/, ''))),
    ],
    top.map(one => [
      one.host,
      one.weight.toFixed(3),
      (best - one.weight).toFixed(3),
      ...weighers.map(name => one.weighers.find(({ weigher }) => weigher === name)?.weight.toFixed(3) ?? ''),
    ]),
    look,
  )
}

function askedFacts(asked: ListedDecision['asked']): [string, string][] {
  const {
    instances,
    names,
    flavor,
    zone,
    host,
    server_group,
    hints,
    image,
    volume_backed,
    gigabytes,
    query,
  } = asked
  const facts: [string, string | null][] = [
    [
      'asked for',
      query ??
        instances.map(uuid => (names[uuid] === undefined ? uuid : `${names[uuid]} (${uuid})`)).join(', '),
    ],
    ['flavor', flavor],
    ['GB', gigabytes === null ? null : String(gigabytes)],
    ['zone', zone],
    ['on host', host],
    ['server group', server_group],
    ...Object.entries(image ?? {}).map(([name, value]): [string, string] => [
      `image ${name}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
    ['root disk', volume_backed ? 'a volume' : null],
    ...Object.entries(hints).map(([name, value]): [string, string] => [
      `hint ${name}`,
      Array.isArray(value) ? value.join(', ') : JSON.stringify(value),
    ]),
  ]
  return facts.filter((pair): pair is [string, string] => pair[1] !== null)
}

const placedTable = (placed: ListedDecision['placed'], look: Look): string =>
  table(
    ['SERVER', flexible('HOST')],
    placed.map(({ instance, host }) => [instance, host]),
    look,
  )

export function replayText(replayed: ReplayedDecision, look: Look): string {
  const { same, outcome, placed, reason } = replayed
  const head = same ? look.style.good('Same result') : look.style.bad('Different result')
  const refused = reason === null ? '' : `${escapeControls(reason)}\n`
  return [`${head}: ${outcome}\n`, placedTable(placed, look), refused].filter(part => part !== '').join('\n')
}

const HOSTS_SHOWN_MAX = 50

export function comparedText(
  { before, now, changed, hosts, settings_changed }: ComparedDecision,
  look: Look,
): string {
  const side = (at: ComparedDecision['now']) => [`revision ${at.revision}`, at.hosts, at.with_room, at.passed]
  const { style } = look
  const shown = hosts.slice(0, HOSTS_SHOWN_MAX)
  return [
    table(
      ['STATE', '', right('HOSTS'), right('WITH ROOM'), right('PASS')],
      [
        ['at that time', ...side(before)],
        ['now', ...side(now)],
      ],
      look,
    ),
    settings_changed ? 'Filters, weighers or their settings changed since.\n' : '',
    changed === 0
      ? 'Every host is as it was.\n'
      : `${style.bold(`${hostsText(changed)} changed:`)}\n${table(
          ['HOST', 'AT THAT TIME', 'NOW', flexible('WHY THEN'), flexible('WHY NOW')],
          shown.map(one => [
            one.host,
            ...[one.before, one.now].map(at => (at === null ? 'not there' : verdictWords[at.verdict])),
            ...[one.before, one.now].map(at => at?.reasons.join(' ') || '-'),
          ]),
          look,
        )}`,
    changed > shown.length
      ? style.dim(`and ${hostsText(changed - shown.length)} more; --json has up to 1,000\n`)
      : '',
  ]
    .filter(part => part !== '')
    .join('\n')
}
