import { type Command, InvalidArgumentError } from 'commander'
import { AUDIT_PAGE_MAX, type AuditEntry } from '../../../wire/admin.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { flexible, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

interface AuditOptions {
  readonly user?: string
  readonly project?: string
  readonly request?: string
  readonly service?: string
  readonly command?: string
  readonly target?: string
  readonly search?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is not a whole number above 0.')
  return Number(text)
}

export const describe: Describe = (command: Command, around, end) => {
  describeClientCommand(command, {
    description: 'Prints who changed what, the newest first. Entries are kept for 90 days.',
    json: 'An array of entries, each as GET /v1/audit returns it.',
    examples: [
      'berth audit',
      'berth audit --user admin --limit 20',
      'berth audit --since 12h --search flavors',
      'berth audit --request req-3f0c... --json',
    ],
  })
    .option('--user <user>', 'Only changes by this user or static token, by name or id.')
    .option('--project <project>', 'Only changes in this project, by name or id.')
    .option('--request <id>', 'Only changes by this request.')
    .option('--service <name>', 'Only changes through this service.')
    .option('--command <name>', 'Only changes of this kind, such as placement:create-provider.')
    .option('--target <text>', 'Only changes whose path has this, such as the uuid of what was changed.')
    .option('--search <text>', 'Only changes with this text in the command, path, user, project or request.')
    .option('--since <time>', 'Not older than this: so long ago, such as 12h, or a time, such as 2026-11-18.')
    .option('--until <time>', 'Older than this.')
    .option('--limit <count>', 'How many at most.', count, 100)
  whenRun(command, around, end, async (session, options: AuditOptions) => {
    const entries: AuditEntry[] = []
    let before: string | null = null
    do {
      const left = options.limit - entries.length
      const page = await session.berth.audit(queryOf(options, left, before))
      entries.push(...page.entries)
      before = page.next
    } while (before !== null && entries.length < options.limit)
    session.print(entries, look =>
      table(
        [
          ...['when', 'user', 'project', 'what', 'revision'].map(title => ({ title })),
          flexible('request'),
          flexible('path'),
        ],
        entries.map(one => [
          ...[
            one.at.slice(0, 19),
            one.user_name ?? one.user,
            one.project_name ?? one.project ?? '-',
            one.command,
            String(one.revision),
          ],
          ...[one.request_id, `${one.method} ${one.path}`],
        ]),
        look,
      ),
    )
    if (session.asJson) return
    if (entries.length === 0) session.note('nothing was changed')
    else if (before !== null) session.note(`there are older entries; --limit N shows more`)
  })
}

function queryOf(options: AuditOptions, left: number, before: string | null): string {
  const { user, project, request: request_id, service, command, target, search, since, until } = options
  const query = new URLSearchParams({ limit: String(Math.min(left, AUDIT_PAGE_MAX)) })
  const given = {
    user,
    project,
    request_id,
    service,
    command,
    target,
    search,
    since,
    until,
    before: before ?? undefined,
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value)
  return query.toString()
}
