import type { HardwareFault } from './hardware-specs.ts'
import type { QueryFault } from './placement-query.ts'
import type { Narrowing } from './prefilters.ts'
import type { FlavorWarning } from './query-draft.ts'
import { GROUP_WISHES_MAX } from './trait-wishes.ts'

/** Parts of a flavor that Placement ignores, in words. */
export function describeFlavorWarning(warning: FlavorWarning): string {
  switch (warning.code) {
    case 'unknown-class':
      return `${renderEntry(warning)} is ignored: there is no such resource class.`
    case 'bad-amount':
      return `${renderEntry(warning)} is ignored: an amount is a whole number, 0 or more.`
    case 'bad-trait-value':
      return `${renderEntry(warning)} is ignored: a trait is required, forbidden, preferred, avoided, or in:A,B for any of these.`
    case 'unknown-wish':
      return `${renderEntry(warning)} is ignored: there is no such trait.`
    case 'wish-without-resources':
      return `${renderEntry(warning)} is ignored: its group asks for no resources.`
    case 'too-many-wishes':
      return `${renderEntry(warning)} does not choose the provider: at most ${GROUP_WISHES_MAX} wishes for groups do.`
    case 'bad-suffix':
      return `${renderEntry(warning)} is ignored: the name of a group is up to 64 letters, digits, _ and -.`
    case 'no-trait-name':
      return `${renderEntry(warning)} is ignored: it names no trait.`
    case 'bad-group-policy':
      return `${renderEntry(warning)} is ignored: it must be none or isolate.`
    case 'bad-flag':
      return `${renderEntry(warning)} counts as false: write true or false.`
    case 'unread-wish':
      return `${renderEntry(warning)} has no effect: Berth does not support it.`
    case 'unknown-traits':
      return `${warning.prefilter} would require ${warning.traits.join(', ')}, which do not exist, so it requires none of them.`
    case 'trait-conflict':
      return `${group(warning.suffix)} both requires and forbids ${warning.traits.join(', ')}: Placement refuses that.`
    case 'group-without-resources':
      return `${group(warning.suffix)} asks for no resources: Placement refuses that.`
    case 'group-policy-missing':
      return `the groups ${warning.suffixes.join(', ')} need a group_policy, none or isolate: Placement refuses the query without.`
    default:
      return warning satisfies never
  }
}

/** Why a flavor, alone or with the image, fits nowhere, in words. */
export function describeHardwareFault(fault: HardwareFault): string {
  switch (fault.code) {
    case 'bad-value': {
      const { from, allowed } = fault
      const could =
        allowed.length === 0 ? 'which makes no sense' : `which is not one of ${allowed.join(', ')}`
      return `the ${from} has ${renderEntry(fault)}, ${could}.`
    }
    case 'bad-any-trait':
      return `the ${fault.from} has ${renderEntry(fault)}, which ${fault.fault}.`
    case 'conflict':
      return `the flavor has ${renderEntry(fault.flavor)}, and the image ${renderEntry(fault.image)}: they exclude each other.`
    case 'needs': {
      const found = fault.found === null ? 'which is not there' : `and it is ${renderValue(fault.found)}`
      return `${renderEntry(fault)} needs ${renderEntry(fault.needs)}, ${found}.`
    }
    default:
      return fault satisfies never
  }
}

/** What a prefilter did to a query, in words. */
export function describeNarrowing(narrowing: Narrowing): string {
  switch (narrowing.kind) {
    case 'member-of':
      return `requires the aggregates ${narrowing.aggregates.join(', ')}.`
    case 'forbidden-aggregates':
      return `excludes the aggregates ${narrowing.aggregates.join(', ')}.`
    case 'root-required':
      return `requires hosts with ${narrowing.traits.join(', ')}.`
    case 'root-forbidden':
      return `requires hosts without ${narrowing.traits.join(', ')}.`
    case 'impossible':
      return narrowing.project === null
        ? 'no aggregate is for requests without a project, and one is required: no host fits.'
        : `no aggregate names the project ${narrowing.project}, and one is required: no host fits.`
    case 'unknown-traits':
      return `would require ${narrowing.traits.join(', ')}, which do not exist, so it requires none of them.`
    default:
      return narrowing satisfies never
  }
}

const renderEntry = ({ key, value }: { readonly key: string; readonly value: unknown }): string =>
  `${key} = ${renderValue(value)}`

const group = (suffix: string): string => (suffix === '' ? 'the unsuffixed group' : `group ${suffix}`)

const SHOWN_MAX = 200

function renderValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}

/** Why Placement would refuse the query, and what to do about it. */
export function describeQueryFault(fault: QueryFault): string {
  switch (fault.code) {
    case 'no-resources':
      return `${groupName(fault.suffix)} has ${fault.has.join(', ')} and no resources: ask for some resource in it${
        fault.suffix === '' ? ', because zones, projects and isolated aggregates are asked of it' : ''
      }`
    case 'traits-conflict':
      return `${groupName(fault.suffix)} both requires and forbids ${fault.traits.join(', ')}`
    case 'nothing-to-choose':
      return `${groupName(fault.suffix)} has an empty list of ${fault.of}, of which none can be met`
    case 'no-group-policy':
      return `groups ${fault.suffixes.join(', ')} need a group_policy: none or isolate`
    case 'too-many-groups':
      return `it has ${fault.groups} groups; the limit is ${fault.max} (max_request_groups)`
    default:
      return fault satisfies never
  }
}

const groupName = (suffix: string): string =>
  suffix === '' ? 'the group without a suffix' : `group ${suffix}`
