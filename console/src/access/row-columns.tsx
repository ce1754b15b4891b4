import { Link } from 'wouter'
import type { Column } from '../controls/data-table.tsx'
import { TimeCell } from './time-cell.tsx'

/** Ends after every time. */
const NEVER = '9999'

interface OfUser {
  readonly user: string
  readonly user_name: string
}

export const userColumn = <Row extends OfUser>(): Column<Row> => ({
  id: 'user',
  title: 'User',
  width: 'minmax(7rem, 1fr)',
  by: ({ user_name }) => user_name,
  cell: ({ user, user_name }) => <Link href={`/access/users/${user}`}>{user_name}</Link>,
})

interface InProject {
  readonly project: string | null
  readonly project_name?: string | null
}

export const projectColumn = <Row extends InProject>(): Column<Row> => ({
  id: 'project',
  title: 'Project',
  width: 'minmax(7rem, 1fr)',
  by: ({ project, project_name }) => project_name ?? project ?? '',
  cell: ({ project, project_name }) =>
    project === null ? (
      <span className="soft">none</span>
    ) : (
      <Link href={`/access/projects/${encodeURIComponent(project)}`}>{project_name ?? project}</Link>
    ),
})

export const rolesColumn = <Row extends { readonly roles: readonly string[] }>(): Column<Row> => ({
  id: 'roles',
  title: 'Roles',
  width: 'minmax(9rem, 1.4fr)',
  by: ({ roles }) => roles.join(', '),
  cell: ({ roles }) => <span title={roles.join(', ')}>{roles.join(', ')}</span>,
})

/** How far away a time is; null: it never comes. */
export const timeColumn = <Row,>(
  id: string,
  title: string,
  find: (row: Row) => string | null,
): Column<Row> => ({
  id,
  title,
  width: '8.5rem',
  by: row => find(row) ?? NEVER,
  exported: row => find(row) ?? 'never',
  cell: row => <TimeCell at={find(row)} />,
})
