import { ownValue } from '../../../src/kernel/records.ts'
import type { Choice } from '../api/scheduling.ts'
import { plural } from '../formats.ts'

/** Why a decision came to nothing, as it is kept: a kind and what belongs to it. */
type Refusal = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? 'unknown'
      : JSON.stringify(value)

const listOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value)

const SENTENCES: Readonly<Record<string, (refusal: Refusal) => string>> = {
  'server-exists': ({ instance }) => `The server ${textOf(instance)} holds something already.`,
  'server-missing': ({ instance }) => `There is no server ${textOf(instance)}.`,
  'server-changed': ({ instance }) => `The server ${textOf(instance)} changed meanwhile.`,
  'picks-stale': ({ instance }) => `What ${textOf(instance)} depends on changed each time it was tried.`,
  'nothing-asked': () => 'It asked for no resource at all, so that every host would do.',
  'no-aggregate-for-project': ({ project }) =>
    `No host aggregate names the project ${textOf(project)} under filter_tenant_id, and the server is set to require one.`,
  'host-missing': ({ host }) => `There is no host ${textOf(host)}.`,
  'group-missing': ({ group }) => `There is no server group ${textOf(group)}.`,
  'traits-missing': ({ host, traits }) =>
    `The image requires ${listOf(traits)}, which ${textOf(host)} lacks.`,
  'rebuild-refused': ({ host }) => `Filters refuse the new image on ${textOf(host)}.`,
  'flavor-faults': () => 'The flavor asks for something that cannot be asked for.',
  'query-refused': () => 'Placement would refuse what is asked of it.',
  'unknown-name': ({ refusal }) =>
    `It names ${textOf((refusal as Refusal | undefined)?.name)}, a resource class or trait that does not exist.`,
  'share-missing': ({ share }) => `There is no share ${textOf(share)}.`,
  'hinted-share-missing': ({ share }) => `There is no share ${textOf(share)}, which a hint names.`,
  'type-missing': ({ type }) => `There is no share type ${textOf(type)}.`,
  'quota-exceeded': ({ resource, asked, used, limit }) =>
    `The quota of ${textOf(resource)} is ${textOf(limit)}: ${textOf(used)} are used, and ${textOf(asked)} more were asked for.`,
}

/** What the sentence does not say, for those who want to know all. */
export interface RefusalWords {
  readonly text: string
  readonly details: readonly (readonly [name: string, value: string])[]
}

export function refusalWords(refusal: unknown, choice: Choice | null): RefusalWords {
  if (typeof refusal !== 'object' || refusal === null) return { text: textOf(refusal), details: [] }
  const { kind, ...facts } = refusal as Refusal
  if (kind === 'no-host')
    return { text: noHost(Number(facts.placed ?? 0), choice), details: detailsOf(facts) }
  const sentence = ownValue(SENTENCES, textOf(kind))
  return {
    text: sentence === undefined ? `It was refused: ${textOf(kind).replaceAll('-', ' ')}.` : sentence(facts),
    details: detailsOf(facts),
  }
}

const detailsOf = (facts: Refusal): RefusalWords['details'] =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name.replaceAll('_', ' '), listOf(value)])

function noHost(placed: number, choice: Choice | null): string {
  const which = placed === 0 ? 'No host will do' : `After ${plural(placed, 'server')} no host will do`
  if (choice === null || choice.candidates === 0)
    return `${which}: none has room for what is asked of Placement.`
  const steps = choice.funnel
    .filter(({ before, after }) => after < before)
    .map(({ filter, before, after }) => `${filter} removes ${before - after}`)
  const room = choice.candidates === 1 ? '1 host has room' : `${choice.candidates} hosts have room`
  return `${which}: ${room}; ${steps.join(', ') || 'none could be claimed'}.`
}
