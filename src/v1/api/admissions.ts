import { keyOf, type Reason, type SpecChange } from '../../scheduling/framework/refusal.ts'
import {
  isVoidAfterSpecChange,
  remedyCommand,
  remedyText,
  specChange,
} from '../../scheduling/framework/refusal-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { HostReport } from '../../scheduling/hosts/explain.ts'
import { HostSelection } from '../../scheduling/hosts/host-selection.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { WorldHost } from '../../scheduling/hosts/world-host.ts'
import type { World } from '../../world/world.ts'

/** Different pieces of advice about hosts. */
const ADVICE_MAX = 3
const NAMED_MAX = 5

interface Explained {
  readonly ask: ServerAsk
  readonly setup: SchedulingSetup
  /** The name of a flavor that a command can change, if there is one. */
  readonly flavor: string | null
}

interface Step {
  readonly filter: string
  readonly code: string
  /** About one of the hosts, which is called `the host`. */
  readonly text: string
  /** For the first of them. */
  readonly command: string | null
}

interface Advice {
  readonly admits: readonly HostReport[]
  readonly remedies: readonly Remedy[]
}

interface Remedy {
  readonly filter: string
  readonly reason: Reason
  readonly text: string
  readonly change: SpecChange | null
}

/** What would have to be done so that hosts pass: hosts with the same remedies together, most hosts first. */
export function listAdmissions(world: World, reports: readonly HostReport[], explained: Explained) {
  const groups = new Map<string, { readonly admits: HostReport[]; readonly remedies: readonly Remedy[] }>()
  for (const report of reports) {
    if (report.isLeftOut || report.misses.length > 0 || report.refusals.length === 0) continue
    const remedies = listRemedies(report)
    const advice = remedies.map(({ text }) => text).join('; ')
    const known = groups.get(advice)
    if (known === undefined) groups.set(advice, { admits: [report], remedies })
    else known.admits.push(report)
  }
  const found: Advice[] = []
  const sorted = [...groups.values()].sort(
    (a, b) => a.remedies.length - b.remedies.length || b.admits.length - a.admits.length,
  )
  for (const { admits, remedies } of sorted) {
    const helped = findAdmitted(world, admits, remedies, explained)
    if (helped.length > 0) found.push({ admits: helped, remedies })
    if (found.length === ADVICE_MAX) break
  }
  return found.map(one => renderAdvice(one, explained.flavor))
}

/** One per reason. A requirement of the flavor is met by the remedy that sets its key to the demanded value. */
function listRemedies({ refusals }: HostReport): Remedy[] {
  const all = refusals.flatMap(({ filter, reasons }) =>
    reasons.map(reason => ({
      filter,
      reason,
      text: remedyText(reason, 'the host'),
      change: specChange(reason),
    })),
  )
  const settled = new Set(all.flatMap(({ change }) => change?.key ?? []))
  const open = all.filter(
    ({ reason }) => !(isVoidAfterSpecChange(reason) && settled.has(keyOf(reason) ?? '')),
  )
  return [...new Map(open.map(one => [one.text, one])).values()]
}

/**
 * The hosts that pass once all is done. Advice about the flavor alone is tried: another aggregate may accept the flavor as it
 * is, but not with the new value.
 */
function findAdmitted(
  world: World,
  hosts: readonly HostReport[],
  remedies: readonly Remedy[],
  { ask, setup }: Explained,
): readonly HostReport[] {
  const changes = remedies.flatMap(({ change }) => change ?? [])
  const specs = new Map(Object.entries(ask.spec.flavor.extra_specs))
  for (const { key, value } of changes)
    if (value === null) specs.delete(key)
    else specs.set(key, value)
  // Two aggregates that demand different values of one key cannot both be met.
  if (changes.some(({ key, value }) => (specs.get(key) ?? null) !== value)) return []
  if (changes.length < remedies.length) return hosts
  const flavor = { ...ask.spec.flavor, extra_specs: Object.fromEntries(specs) }
  const changed = { ...ask, spec: { ...ask.spec, flavor } }
  const placing = HostSelection.of(world, changed, ask.instances[0] as string, setup)
  if (!(placing instanceof HostSelection)) return []
  return hosts.filter(({ provider }) => {
    const slot = world.providers.find(provider)
    return slot !== undefined && placing.pipeline.findFirstRefusal(new WorldHost(world, slot)) === null
  })
}

function renderAdvice({ admits, remedies }: Advice, flavor: string | null) {
  const names = admits.map(({ host }) => host)
  const steps = remedies.map(
    ({ filter, reason, text }): Step => ({
      filter,
      code: reason.code,
      text,
      command: remedyCommand(reason, names[0] as string, flavor),
    }),
  )
  const named = names.slice(0, NAMED_MAX)
  const commands = remedies.flatMap(({ reason }) => named.map(host => remedyCommand(reason, host, flavor)))
  return {
    kind: 'admit-hosts',
    hosts: admits.length,
    admits: admits.map(({ host, provider }) => ({ host, provider })),
    steps,
    text: renderAdviceText(remedies, names),
    // For all named hosts.
    command: commands.includes(null) ? null : [...new Set(commands)].join(' && '),
  }
}

/** A single host is named in the text; several are listed at the end. */
function renderAdviceText(remedies: readonly Remedy[], names: readonly string[]): string {
  const [only] = names.length === 1 ? names : []
  const steps = remedies.map(({ reason, text }) => (only === undefined ? text : remedyText(reason, only)))
  const sentence = steps.join('; ')
  const isNamed = only !== undefined && sentence.includes(only)
  const hosts = isNamed ? '' : ` (for ${renderHosts(names)})`
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${hosts}.`
}

function renderHosts(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ')
}
