/** For an option that may be given several times: commander hands over what it has so far. */
export const repeatable = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
]
