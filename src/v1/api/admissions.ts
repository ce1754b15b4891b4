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

/** The most pieces of advice about hosts in one answer. */
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
  /** About one host, which the text calls `the host`. */
  readonly text: string
  /** The command for the first host. */
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

/** What to change so that hosts pass. Hosts with the same remedies are grouped; the largest group is first. */
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

/**
 * One remedy per reason. No remedy for a reason that goes away once another remedy changes the same key of
 * the flavor.
 */
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
 * The hosts that pass once all remedies are applied. Advice that changes only the flavor is tried: another
 * aggregate may accept the present value, but not the new one.
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
