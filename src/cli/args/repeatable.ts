/** For an option that may be repeated: commander passes the values so far. */
export const repeatable = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  text,
]
