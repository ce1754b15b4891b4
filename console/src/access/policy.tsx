import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { PolicyInForce } from '../../../src/wire/accounts.ts'
import { readPolicy } from '../api/access.ts'
import { queryOf } from '../api/http.ts'
import { berthCommands } from '../berth-commands.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { FactList } from '../controls/fact-list.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { amount, plural } from '../formats.ts'
import page from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './access.module.css'
import { filterRules, type PolicyRule, rolesText } from './policy-search.ts'
import { useAssignments, useKeepsUsers } from './use-access.ts'

/** Roles, and which operation each permits. */
export default function Policy() {
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['access', 'policy'],
    queryFn: readPolicy,
    enabled: may('berth:policy'),
  })
  if (!may('berth:policy')) return <NotForYou title="Roles and policy" operation="berth:policy" />
  return (
    <Page
      title="Roles and policy"
      text={
        <>
          Who may do what, in the language of oslo.policy. The file of <code>policy_file</code> replaces
          rules; the server reads it when it starts.
        </>
      }
    >
      {query.data === undefined ? (
        <Waiting query={query} what="the policy" />
      ) : (
        <>
          <RoleTable policy={query.data} />
          <Operation policy={query.data} />
          <Operations policy={query.data} />
        </>
      )}
    </Page>
  )
}

function RoleTable({ policy }: { readonly policy: PolicyInForce }) {
  const keepsUsers = useKeepsUsers()
  const assignments = useAssignments()
  const holders = (role: string) =>
    new Set(assignments.data?.filter(one => one.role.name === role).map(({ user }) => user.id)).size
  return (
    <Panel
      title="Roles"
      aside={
        <span className="soft">
          rbac = {policy.rbac}; admin implies manager, manager member, member reader
        </span>
      }
      flush
    >
      <Sideways label="Roles">
        <table className={`${page.table} ${page.words} ${styles.roles}`}>
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">Operations that it alone allows</th>
              <th scope="col">Users who have it</th>
            </tr>
          </thead>
          <tbody>
            {policy.roles.map(role => (
              <tr key={role}>
                <th scope="row">
                  <Link href={`/access/policy${queryOf({ role })}`}>{role}</Link>
                </th>
                <td>
                  {amount(policy.rules.filter(({ allowed_roles }) => allowed_roles.includes(role)).length)} of{' '}
                  {amount(policy.rules.length)}
                </td>
                <td>
                  {!keepsUsers ? (
                    <span className="soft">kept elsewhere</span>
                  ) : assignments.data === undefined ? (
                    '–'
                  ) : (
                    <Link href={`/access/users${queryOf({ q: role })}`}>{plural(holders(role), 'user')}</Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Sideways>
    </Panel>
  )
}

/** The chosen one, with all of its rule. */
function Operation({ policy }: { readonly policy: PolicyInForce }) {
  const [params] = useUrlState()
  const name = params.get('operation')
  const rule = policy.rules.find(({ operation }) => operation === name)
  if (name === null) return null
  if (rule === undefined)
    return (
      <Panel title={name}>
        <Empty title="There is no such operation">It may be of another version of Berth.</Empty>
      </Panel>
    )
  const command = berthCommands.checkPolicy(rule.operation, rule.allowed_roles.at(-1) ?? 'reader')
  return (
    <Panel
      title={rule.operation}
      aside={<CopyButton label="Copy the command that checks it" text={command} />}
    >
      <FactList
        facts={[
          ['What', rule.what],
          ['Roles', rolesText(rule.allowed_roles, policy.roles)],
          ['Rule', <code key="rule">{rule.rule === '' ? '(empty: always)' : rule.rule}</code>],
          ['From', rule.from === 'file' ? 'the policy file' : `the defaults (rbac = ${policy.rbac})`],
        ]}
      />
      <p className={`soft ${styles.below}`}>
        Roles are those that alone allow it, with what they imply, to what belongs to the caller and its
        project.
      </p>
    </Panel>
  )
}

function Operations({ policy }: { readonly policy: PolicyInForce }) {
  const [params, change] = useUrlState()
  const q = params.get('q') ?? ''
  const role = params.get('role')
  const from = params.get('from')
  const rows = useMemo(
    () => filterRules(policy.rules, { search: q.trim().toLowerCase(), role, onlyFile: from === 'file' }),
    [policy, q, role, from],
  )
  const columns = useMemo(() => columnsOf(policy.roles), [policy])
  const chosen = params.get('operation')
  return (
    <Panel
      title="Operations"
      aside={<span className="soft number">{plural(rows.length, 'operation')}</span>}
      flush
    >
      <div className={styles.filters}>
        <TextInput
          label="Find"
          placeholder="Operation, words or rule"
          value={q}
          onChange={event => change({ q: event.currentTarget.value })}
        />
        <Select
          label="Allowed to"
          placeholder="Any role"
          clearable
          clearButtonProps={{ 'aria-label': 'Any role' }}
          data={policy.roles}
          value={role}
          onChange={value => change({ role: value })}
        />
        <Select
          label="From"
          placeholder="Defaults and file"
          clearable
          clearButtonProps={{ 'aria-label': 'Defaults and file' }}
          data={[{ value: 'file', label: 'the policy file' }]}
          value={from}
          onChange={value => change({ from: value })}
        />
      </div>
      {rows.length === 0 ? (
        <Empty title="No operation is like this">
          {from === 'file' ? 'No line of a policy file changes one like this.' : 'Search for other words.'}
        </Empty>
      ) : (
        <DataTable
          label="Operations"
          rows={rows}
          columns={columns}
          keyOf={({ operation }) => operation}
          isSelected={({ operation }) => operation === chosen}
          sortedBy="operation"
          height="calc(100dvh - 16rem)"
        />
      )}
    </Panel>
  )
}

function columnsOf(roles: readonly string[]): readonly Column<PolicyRule>[] {
  return [
    {
      id: 'operation',
      title: 'Operation',
      width: 'minmax(16rem, 2fr)',
      by: ({ operation }) => operation,
      cell: ({ operation }) => <OperationLink operation={operation} />,
    },
    {
      id: 'what',
      title: 'What',
      width: 'minmax(12rem, 2fr)',
      by: ({ what }) => what,
      cell: ({ what }) => <span title={what}>{what}</span>,
    },
    {
      id: 'roles',
      title: 'Roles that alone allow it',
      width: 'minmax(12rem, 1.6fr)',
      by: ({ allowed_roles }) => rolesText(allowed_roles, roles),
      cell: ({ allowed_roles }) => (
        <span title={rolesText(allowed_roles, roles)}>{rolesText(allowed_roles, roles)}</span>
      ),
    },
    {
      id: 'rule',
      title: 'Rule',
      width: 'minmax(12rem, 2fr)',
      by: ({ rule }) => rule,
      cell: ({ rule }) => <code title={rule}>{rule}</code>,
    },
    {
      id: 'from',
      title: 'From',
      width: '6rem',
      by: ({ from }) => from,
      cell: ({ from }) => <Chip tone={from === 'file' ? 'accent' : 'plain'}>{from}</Chip>,
    },
  ]
}

/** Keeps what is searched for. */
function OperationLink({ operation }: { readonly operation: string }) {
  const [params] = useUrlState()
  const { q, role, from, sort } = Object.fromEntries(params)
  return <Link href={`/access/policy${queryOf({ operation, q, role, from, sort })}`}>{operation}</Link>
}
