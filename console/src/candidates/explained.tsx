import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { type Explanation, explainCandidates } from '../api/berth.ts'
import { Note, Panel, type Tone, Waiting } from '../controls/page.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'
import { Funnel } from '../why/funnel.tsx'
import { NearestMisses, Remedies, type Remedy } from '../why/remedies.tsx'
import { applied } from './apply-remedy.ts'
import { formatQuery, parseQuery } from './query.ts'

const TONES: Readonly<Record<Explanation['funnel'][number]['verdict'], Tone>> = {
  blocks: 'hot',
  narrows: 'warm',
  innocent: 'good',
}

/** Why there is no candidate, and what would give one. */
export function Explained({ text }: { readonly text: string }) {
  const query = useQuery({ queryKey: ['explain', text], queryFn: () => explainCandidates(text) })
  const [path, navigate] = useLocation()
  const named = useNames()
  if (query.data === undefined) return <Waiting query={query} what="the explanation" />
  const { funnel, nearest = [], changes } = query.data
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
        <Funnel
          what="trees"
          steps={funnel.map((step, at) => ({
            key: String(at),
            text: named(step.group ? `${step.group}: ${step.text}` : step.text),
            before: step.trees_before,
            after: step.trees_after,
            verdict: step.verdict,
            tone: TONES[step.verdict],
          }))}
        />
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

/** Texts with names of aggregates where the server has uuids. */
function useNames(): (text: string) => string {
  const { aggregates } = useSurroundings()
  return text => aggregates.reduce((named, { uuid, name }) => named.replaceAll(uuid, name), text)
}
