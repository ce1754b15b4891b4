import type { Command } from 'commander'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { facts, table } from '../../render/table.ts'
import { credentialColumns, credentialRow } from './credential.ts'
import { findUser } from './user.ts'

const CHANGES_SHOWN = 10

export function describeUserShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: `Shows a user with its roles, the tokens that are valid now, its application credentials and its last ${CHANGES_SHOWN} changes.`,
    json: 'An object: {"user", "assignments", "tokens", "credentials", "changes"}; the first two as the identity API returns them, the others as GET /v1/user-tokens, /v1/user-credentials and /v1/audit do.',
    examples: ['berth user show ray'],
  }).argument('<user>', 'The name or the id of the user.')
  whenRun(command, around, end, async (session, _options, text: string) => {
    const identity = await session.identity()
    const user = await findUser(identity, text)
    const assignments = (await identity.assignments()).filter(one => one.user.id === user.id)
    const tokens = await session.accounts.userTokens(user.id)
    const credentials = await session.accounts.userCredentials(user.id)
    const query = new URLSearchParams({ user: user.id, limit: String(CHANGES_SHOWN) })
    const { entries: changes } = await session.berth.audit(query.toString())
    session.print({ user, assignments, tokens, credentials, changes }, look => {
      const section = (title: string, columns: Parameters<typeof table>[0], rows: string[][]) =>
        `\n${title}: ${rows.length === 0 ? 'none\n' : `\n${table(columns, rows, look)}`}`
      return [
        facts(
          [
            ['id', user.id],
            ['name', user.name],
            ['enabled', user.enabled ? 'yes' : 'no'],
            ['email', user.email ?? '-'],
            ['description', user.description ?? '-'],
          ],
          look,
        ),
        section(
          'Roles',
          ['role', 'project'],
          assignments.map(({ role, scope }) => [role.name, scope.project.name]),
        ),
        section(
          'Tokens',
          ['project', 'issued', 'expires', 'id'],
          tokens.map(one => [
            one.project_name ?? '-',
            one.issued_at.slice(0, 19),
            one.expires_at.slice(0, 19),
            one.id,
          ]),
        ),
        section('Application credentials', credentialColumns, credentials.map(credentialRow)),
        section(
          'Last changes',
          ['when', 'what', 'path'],
          changes.map(one => [one.at.slice(0, 19), one.command, one.path]),
        ),
      ].join('')
    })
  })
}
