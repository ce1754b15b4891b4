/**
 * The row that the Tab key reaches: the one that was used last, or a visible one while that is not visible. It
 * stays the same while it is drawn, so that scrolling does not redraw rows.
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
