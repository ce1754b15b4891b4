import type { Command } from 'commander'
import { globMatcher } from '../../../kernel/glob.ts'
import type { Provider } from '../../../wire/openstack-placement.ts'
import { resourcesParameter } from '../../args/amounts.ts'
import { memberOfValue } from '../../args/names.ts'
import { repeatable } from '../../args/repeatable.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, type Column, flexible, right, table } from '../../render/table.ts'
import { findProvider } from './providers-by-name.ts'

export function describeProviderList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the providers that match all options, or all providers.',
    json:
      'An array of {"uuid", "name", "generation", "parent_provider_uuid": null or uuid,\n' +
      '"root_provider_uuid"}.',
    examples: [
      'berth provider list',
      "berth provider list --name 'compute-*' --resource VCPU:4 --resource MEMORY_MB:8192",
      "berth provider list --required 'HW_CPU_X86_AVX2,!CUSTOM_OLD' --required in:CUSTOM_A,CUSTOM_B",
      'berth provider list --in-tree compute-1 --json',
    ],
  })
    .option('--name <glob>', 'By name, where * is any text and ? any character.')
    .option('--in-tree <provider>', 'In the tree of this provider.')
    .option(
      '--required <traits>',
      'With traits A and without B: A,!B; with either: in:A,B. Repeatable.',
      repeatable,
    )
    .option(
      '--member-of <aggregates>',
      'In an aggregate, by uuid or name: A, in:A,B, or not: !A, !in:A,B. Repeatable.',
      repeatable,
    )
    .option('--resource <class=amount>', 'With this amount of a class free. Repeatable.', repeatable)
  whenRun(command, around, end, async (session, options: ListOptions) => {
    const placement = await session.placement()
    const query: [string, string][] = []
    const glob = options.name
    if (glob !== undefined && !isGlob(glob)) query.push(['name', glob])
    if (options.inTree !== undefined)
      query.push(['in_tree', (await findProvider(placement, options.inTree)).uuid])
    for (const value of options.required ?? []) query.push(['required', value])
    for (const value of options.memberOf ?? []) query.push(['member_of', await memberOfValue(session, value)])
    if (options.resource !== undefined)
      query.push(['resources', resourcesParameter('--resource', options.resource)])
    const matches = glob === undefined ? () => true : globMatcher(glob)
    const found = (await placement.providers(query)).filter(({ name }) => matches(name)).toSorted(byName)
    session.print(found, look => table(COLUMNS, rowsOf(found), look))
    if (found.length === 0) session.remark('no provider')
  })
}

interface ListOptions {
  readonly name?: string
  readonly inTree?: string
  readonly required?: readonly string[]
  readonly memberOf?: readonly string[]
  readonly resource?: readonly string[]
}

const COLUMNS: readonly Column[] = [flexible('NAME'), 'UUID', right('GENERATION'), flexible('PARENT')]

function rowsOf(providers: readonly Provider[]): string[][] {
  const names = new Map(providers.map(({ uuid, name }) => [uuid, name]))
  return providers.map(({ name, uuid, generation, parent_provider_uuid: parent }) => [
    name,
    uuid,
    String(generation),
    parent === null ? '-' : (names.get(parent) ?? parent),
  ])
}

const isGlob = (text: string): boolean => /[*?]/.test(text)
