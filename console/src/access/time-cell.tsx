import { momentText } from '../formats.ts'
import { distanceText } from './times.ts'

/** How far away a time is; the time itself as title. */
export function TimeCell({ at, none = 'never' }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <span className="soft">{none}</span>
  return (
    <time dateTime={at} title={momentText(at)}>
      {distanceText(at, Date.now())}
    </time>
  )
}
