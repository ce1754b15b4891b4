import type { HardwareFault } from './hardware-specs.ts'
import type { QueryFault } from './placement-query.ts'
import type { Narrowing } from './prefilters.ts'
import type { FlavorWarning } from './query-draft.ts'

/** What a flavor says that Placement will not hear, in words. */
export function flavorWarningText(warning: FlavorWarning): string {
  switch (warning.code) {
    case 'unknown-class':
      return `${said(warning)} is left out: there is no such resource class.`
    case 'bad-amount':
      return `${said(warning)} is left out: an amount is a whole number, 0 or more.`
    case 'bad-trait-value':
      return `${said(warning)} is left out: a trait is required, forbidden, or in:A,B for any of these.`
    case 'bad-suffix':
      return `${said(warning)} is left out: the name of a group is up to 64 letters, digits, _ and -.`
    case 'no-trait-name':
      return `${said(warning)} is left out: it names no trait.`
    case 'bad-group-policy':
      return `${said(warning)} is left out: it is none or isolate.`
    case 'bad-flag':
      return `${said(warning)} is taken for no: write true or false.`
    case 'unread-wish':
      return `${said(warning)} chooses no host: Berth does not look at it.`
    case 'unknown-traits':
      return `${warning.prefilter} would want ${warning.traits.join(', ')}, which do not exist, and so asks for none of it.`
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

/** Why a flavor, or it and the image together, cannot be had anywhere, in words. */
export function hardwareFaultText(fault: HardwareFault): string {
  switch (fault.code) {
    case 'bad-value': {
      const { from, allowed } = fault
      const could = allowed.length === 0 ? 'which makes no sense' : `which is none of ${allowed.join(', ')}`
      return `the ${from} has ${said(fault)}, ${could}.`
    }
    case 'bad-any-trait':
      return `the ${fault.from} has ${said(fault)}, which ${fault.fault}.`
    case 'conflict':
      return `the flavor has ${said(fault.flavor)}, and the image ${said(fault.image)}: they exclude each other.`
    case 'needs': {
      const found = fault.found === null ? 'which is not there' : `and it is ${shown(fault.found)}`
      return `${said(fault)} needs ${said(fault.needs)}, ${found}.`
    }
    default:
      return fault satisfies never
  }
}

/** What a prefilter made of a query, in words. */
export function narrowingText(narrowing: Narrowing): string {
  switch (narrowing.kind) {
    case 'member-of':
      return `keeps to the aggregates ${narrowing.aggregates.join(', ')}.`
    case 'forbidden-aggregates':
      return `keeps out of the aggregates ${narrowing.aggregates.join(', ')}.`
    case 'root-required':
      return `wants hosts with ${narrowing.traits.join(', ')}.`
    case 'root-forbidden':
      return `wants hosts without ${narrowing.traits.join(', ')}.`
    case 'impossible':
      return narrowing.project === null
        ? 'no aggregate is for requests without a project, and one is needed: nothing will do.'
        : `no aggregate names the project ${narrowing.project}, and one is needed: nothing will do.`
    case 'unknown-traits':
      return `would want ${narrowing.traits.join(', ')}, which do not exist, and so asks for none of it.`
    default:
      return narrowing satisfies never
  }
}

const said = ({ key, value }: { readonly key: string; readonly value: unknown }): string =>
  `${key} = ${shown(value)}`

const group = (suffix: string): string => (suffix === '' ? 'the unsuffixed group' : `group ${suffix}`)

const SHOWN_MAX = 200

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}

/** Why Placement would refuse what is asked, and what to do about it. */
export function queryFaultText(fault: QueryFault): string {
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
      return `groups ${fault.suffixes.join(', ')} come without a group_policy: say none or isolate`
    case 'too-many-groups':
      return `it has ${fault.groups} groups, and ${fault.max} is the most (max_request_groups)`
    default:
      return fault satisfies never
  }
}

const groupName = (suffix: string): string =>
  suffix === '' ? 'the group without a suffix' : `group ${suffix}`
