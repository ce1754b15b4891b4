import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { readShares, readTypes, readZones } from '../api/shares.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { isBusy } from './states.ts'

const BUSY_MS = 2_000
const QUIET_MS = 10_000

/** Polls where there is no change feed, faster while work is under way. */
export function useAskAgain(): (isBusy: boolean) => number | false {
  const { phase } = usePicture()
  return useCallback(busy => (phase === 'refused' ? (busy ? BUSY_MS : QUIET_MS) : false), [phase])
}

export function useIsAdmin(): boolean {
  return useSession().may('context_is_admin')
}

export function useShares(inBin = false) {
  const isAdmin = useIsAdmin()
  const again = useAskAgain()
  return useQuery({
    queryKey: ['shares', 'all', inBin],
    queryFn: () => readShares(isAdmin, inBin),
    refetchInterval: query => again(query.state.data?.some(isBusy) ?? false),
  })
}

export function useTypes() {
  const isAdmin = useIsAdmin()
  return useQuery({ queryKey: ['shares', 'types'], queryFn: () => readTypes(isAdmin) })
}

export const useZones = () => useQuery({ queryKey: ['shares', 'zones'], queryFn: readZones })

/** After any action, all data about shares is fetched again. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: ['shares'] }), [queries])
}

export const shortId = (id: string): string => id.slice(0, 8)

/** A share may have no name. */
export const nameOf = ({ id, name }: Pick<Share, 'id' | 'name'>): string =>
  name === null || name === '' ? shortId(id) : name

/** Everything visible, also soft-deleted shares, by id. */
export function useKnownShares(): ReadonlyMap<string, Share> {
  const { data: live } = useShares()
  const { data: bin } = useShares(true)
  return useMemo(() => new Map([...(live ?? []), ...(bin ?? [])].map(one => [one.id, one])), [live, bin])
}

/** By creation, the newest first, with soft-deleted ones. */
export function useAllShares(): readonly Share[] {
  const known = useKnownShares()
  return useMemo(
    () => [...known.values()].sort((one, other) => other.created_at.localeCompare(one.created_at)),
    [known],
  )
}

/** Why the user may not change a share; null if allowed. */
export function useWhyNot(share: Share): (operation: string) => string | null {
  const { who, whyNot, may } = useSession()
  return operation => {
    const why = whyNot(operation)
    if (why !== null) return why
    const isForeign = share.project_id !== who.project_id && !may('context_is_admin')
    return isForeign ? `It is a share of the project ${share.project_id}, which shows it to all.` : null
  }
}
