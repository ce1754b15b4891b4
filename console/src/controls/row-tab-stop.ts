/**
 * The row that the tab key gets to: the one that was used last, and while that is out of sight, one that is in sight. It
 * stays the same for as long as it is drawn, so that scrolling does not draw rows again for it.
 */
export function rowTabStop(
  drawn: readonly { readonly index: number }[],
  active: number,
  before: number,
  overscan: number,
): number {
  const first = drawn[0]?.index ?? 0
  const last = drawn.at(-1)?.index ?? 0
  const isDrawn = (index: number) => index >= first && index <= last
  if (isDrawn(active)) return active
  if (isDrawn(before)) return before
  return first === 0 ? 0 : Math.min(first + overscan + 1, last)
}
