import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  readAssignments,
  readCredentials,
  readProjects,
  readRoles,
  readStaticTokens,
  readStoredProjects,
  readUsers,
  readUserTokens,
} from '../api/access.ts'
import { useSession } from '../session/session.tsx'

/** Signing in is no change that the live view follows. */
const TOKENS_AGAIN_MS = 15_000

/** Users, projects and roles are in the store of this server. */
export const useKeepsUsers = (): boolean => useSession().server.auth === 'token'

function useStored<Answer>(name: string, operation: string, read: () => Promise<Answer>) {
  const keepsUsers = useKeepsUsers()
  const { may } = useSession()
  return useQuery({ queryKey: ['access', name], queryFn: read, enabled: keepsUsers && may(operation) })
}

export const useUsers = () => useStored('users', 'identity:list_users', readUsers)
export const useRoles = () => useStored('roles', 'identity:list_roles', readRoles)
export const useAssignments = () =>
  useStored('assignments', 'identity:list_role_assignments', readAssignments)
export const useStoredProjects = () =>
  useStored('stored-projects', 'identity:list_projects', readStoredProjects)

export function useUserTokens(user?: string) {
  const keepsUsers = useKeepsUsers()
  const { may } = useSession()
  return useQuery({
    queryKey: ['access', 'tokens', user ?? null],
    queryFn: () => readUserTokens(user),
    enabled: keepsUsers && may('berth:tokens:users'),
    refetchInterval: TOKENS_AGAIN_MS,
  })
}

export function useCredentials(user?: string) {
  const keepsUsers = useKeepsUsers()
  const { may } = useSession()
  return useQuery({
    queryKey: ['access', 'credentials', user ?? null],
    queryFn: () => readCredentials(user),
    enabled: keepsUsers && may('berth:credentials'),
  })
}

export function useStaticTokens() {
  const { may } = useSession()
  return useQuery({
    queryKey: ['access', 'static-tokens'],
    queryFn: readStaticTokens,
    enabled: may('berth:tokens'),
  })
}

export function useProjects() {
  const { may } = useSession()
  return useQuery({
    queryKey: ['access', 'projects'],
    queryFn: readProjects,
    enabled: may('berth:projects'),
  })
}

/** Ids and names of all users: the admin token has the name of its user for an id. */
export function useUserKeys(): ReadonlySet<string> {
  const { data } = useUsers()
  return useMemo(() => new Set(data?.flatMap(({ id, name }) => [id, name])), [data])
}

/** After a write: everything here may be another now. */
export function useReread(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['access'] }),
      queries.invalidateQueries({ queryKey: ['projects'] }),
    ])
  }
}
