import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { explainCandidates } from '../api/berth.ts'
import { Note, Panel, Waiting } from '../controls/page.tsx'
import { PlacementFunnel, useNames } from '../why/funnels.tsx'
import { NearestMisses, Remedies, type Remedy } from '../why/remedies.tsx'
import { applied } from './apply-remedy.ts'
import { formatQuery, parseQuery } from './query.ts'

/** Why there is no candidate, and what would give one. */
export function Explained({ text }: { readonly text: string }) {
  const query = useQuery({ queryKey: ['explain', text], queryFn: () => explainCandidates(text) })
  const [path, navigate] = useLocation()
  const named = useNames()
  if (query.data === undefined) return <Waiting query={query} what="the explanation" />
  const { nearest = [], changes } = query.data
  const apply = (change: Remedy) => {
    const next = applied(parseQuery(text), change)
    if (next === null) return null
    return (
      <Button size="compact-xs" variant="default" onClick={() => navigate(`${path}?${formatQuery(next)}`)}>
        Ask so
      </Button>
    )
  }
  return (
    <>
      <Note tone="warm">
        <strong>No candidate.</strong>
        <p>Each part of the request, in the order in which it was looked at, and how many trees it leaves.</p>
      </Note>
      <Panel title="What removed them" flush>
        <PlacementFunnel explanation={query.data} />
      </Panel>
      {changes.length > 0 && (
        <Panel title="Any one of these would give a candidate" flush>
          <Remedies
            changes={changes.map(change => ({ ...(change as Remedy), text: named(change.text) }))}
            act={apply}
          />
        </Panel>
      )}
      {nearest.length > 0 && (
        <Panel title="The nearest misses" flush>
          <NearestMisses
            nearest={nearest.map(one => ({
              ...one,
              misses: one.misses.map(miss => ({ text: named(miss.text) })),
            }))}
          />
        </Panel>
      )}
    </>
  )
}
