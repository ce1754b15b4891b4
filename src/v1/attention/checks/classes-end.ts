import { countText } from '../../../kernel/count-text.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { HOST_CLASSES } from '../../../usage-history/sample.ts'
import type { AttentionFinding } from '../../../wire/attention.ts'
import type { Forecast } from '../../../wire/history.ts'
import { describeScope, listForecastScopes, makeForecasts } from '../../usage-history/forecasts.ts'
import { type AttentionCheck, WorstItems } from '../check.ts'

const NOTE_DAYS = 30
const WARN_DAYS = 14

/** Classes that are used up, or soon will be: new hosts take weeks to come. */
export const classesEnd: AttentionCheck = {
  code: 'class.ends',
  what:
    `Classes of a zone that are used up or may end within ${NOTE_DAYS} days, by the forecast; of the cloud if no zone has the end. A warning if ` +
    `${HOST_CLASSES.slice(0, -1).join(', ')} or ${HOST_CLASSES.at(-1)} is used up or likely ends within ${WARN_DAYS} days.`,
  severity: 'note',
  operation: 'berth:history',
  restMs: 60_000,
  readsMoreThanState: true,
  async find({ world, store, setup, nowMs }) {
    const sources = { world, store, defaultZone: setup.settings.defaultAvailabilityZone }
    const soon = listSoon(await makeForecasts(sources, listForecastScopes(sources), nowMs))
    const [first] = soon
    if (first === undefined) return null
    const worst = new WorstItems()
    for (const [at, one] of soon.entries()) worst.add(-at, toItem(one))
    const { name } = first.scope
    const others = soon.length - 1
    return {
      severity: isUrgent(first) ? 'warning' : 'note',
      total: soon.length,
      text: `${first.text}${others === 0 ? '' : `; ${countText(others, 'more ends', 'more end')} soon`}`,
      link: toItem(first).link,
      command: name === null ? 'berth forecast' : `berth forecast --zone ${shellWord(name)}`,
      items: worst.list(),
    }
  },
}

/** The urgent ones first, then the soonest; of the cloud only what no zone has told. */
function listSoon(forecasts: readonly Forecast[]): Forecast[] {
  const soon = forecasts.filter(({ soonest_days: days }) => days !== null && days <= NOTE_DAYS)
  const ofZones = soon.filter(({ scope }) => scope.kind === 'zone')
  const told = new Set(ofZones.map(({ resource_class: unit }) => unit))
  const ofCloud = soon.filter(({ scope, resource_class: unit }) => scope.kind === 'cloud' && !told.has(unit))
  return [...ofZones, ...ofCloud].sort((one, other) => rank(one) - rank(other))
}

const isUrgent = ({ resource_class: unit, likely_days: days }: Forecast): boolean =>
  HOST_CLASSES.some(one => one === unit) && days !== null && days <= WARN_DAYS

const rank = (one: Forecast): number => (isUrgent(one) ? -NOTE_DAYS - 1 : 0) + (one.soonest_days ?? 0)

function toItem({
  scope,
  resource_class,
  text,
  used,
  capacity,
}: Forecast): AttentionFinding['items'][number] {
  const name = `${resource_class} of ${describeScope(scope)}`
  return {
    name,
    text: `${text.slice(name.length + 1)}; ${used} of ${capacity} used now`,
    link: scope.name === null ? '/usage' : `/usage?${new URLSearchParams({ zone: scope.name })}`,
  }
}
