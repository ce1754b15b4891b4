import { Argument } from 'commander'
import { describeClientCommand, type Session, whenRun } from '../../connection/session.ts'
import { byName } from '../../render/table.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'

type Listed = Iterable<{ readonly name: string | null }>

/** Things that the command line can name, and where their names are listed. */
const lists: Readonly<Record<NameKind, (session: Session) => Promise<Listed>>> = {
  aggregate: async session => (await session.compute()).aggregates(),
  flavor: async session => (await session.compute()).flavors(),
  host: session => session.berth.hosts(),
  project: async session => (await session.identity()).projects(),
  provider: async session => (await session.placement()).providers(),
  role: async session => (await session.identity()).roles(),
  share: async session => (await session.shares()).shares(false),
  user: async session => (await session.identity()).users(),
}

const KINDS = ['aggregate', 'flavor', 'host', 'project', 'provider', 'role', 'share', 'user'] as const
export type NameKind = (typeof KINDS)[number]

/** The kind of names, by the name of an argument or an option's value, as in `<host>` and `[flavor]`. */
export const nameKindOf = (argument: string): NameKind | null =>
  KINDS.find(kind => kind === argument || `${kind}s` === argument) ?? null

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description: 'Prints the names of all objects of a kind, one a line, for shell completion.',
    json: 'An array of strings.',
    examples: ['berth names host', 'berth names flavor --json'],
  }).addArgument(new Argument('<kind>', 'What to list.').choices(KINDS))
  whenRun(command, around, end, async (session, _options, kind: NameKind) => {
    const named = [...(await lists[kind](session))].filter(({ name }) => name !== null).toSorted(byName)
    const names = named.map(({ name }) => name as string)
    session.print(names, () => names.map(name => `${escapeControls(name)}\n`).join(''))
  })
}
