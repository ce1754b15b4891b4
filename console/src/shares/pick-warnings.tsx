import { useQueries } from '@tanstack/react-query'
import { readBeside } from '../api/shares.ts'
import { Note } from '../controls/page.tsx'
import { ShareLink } from './share-text.tsx'
import { type Contradiction, contradictions, pairsToAsk } from './ties.ts'

/** Warns about contradictory picks, with the reason, before the request is sent. */
export function PickWarnings({
  near,
  away,
}: {
  readonly near: readonly string[]
  readonly away: readonly string[]
}) {
  const pairs = pairsToAsk(near, away)
  const answers = useQueries({
    queries: pairs.map(([one, other]) => ({
      queryKey: ['shares', 'beside', one, other],
      queryFn: () => readBeside(one, other),
    })),
  })
  const known = new Map(pairs.map(([one, other], at) => [`${one} ${other}`, answers[at]?.data]))
  const found = contradictions(near, away, (one, other) => known.get(`${one} ${other}`))
  if (found.length === 0) return null
  return (
    <div style={{ marginTop: '0.8rem' }}>
      <Note tone="warm">
        <strong>These picks contradict each other.</strong>
        <ul>
          {found.map(one => (
            <li key={`${one.kind} ${one.one} ${one.other}`}>
              <InWords contradiction={one} />
            </li>
          ))}
        </ul>
      </Note>
    </div>
  )
}

function InWords({ contradiction: { kind, one, other } }: { readonly contradiction: Contradiction }) {
  const a = <ShareLink id={one} />
  const b = <ShareLink id={other} />
  switch (kind) {
    case 'both':
      return <>It cannot be near {a} and away from it.</>
    case 'near-apart':
      return (
        <>
          {a} and {b} are on different back ends: nothing can be near both.
        </>
      )
    case 'near-away':
      return (
        <>
          {a} and {b} are on one back end: what is near the one is not away from the other.
        </>
      )
    case 'nowhere':
      return <>{a} is on no back end, so that nothing can be near it.</>
    default:
      return kind satisfies never
  }
}
