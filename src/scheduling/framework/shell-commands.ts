/** Commands of `berth` that remedies advise. */

/** Quotes an argument if a shell would interpret it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

export const setSpecCommand = (flavor: string, key: string, value: string): string =>
  `berth flavor set ${shellWord(flavor)} ${shellWord(`${key}=${value}`)}`

export const unsetSpecCommand = (flavor: string, key: string): string =>
  `berth flavor unset ${shellWord(flavor)} ${shellWord(key)}`

/** Null if more than one command is needed. */
export const aggregateCommand = (
  found: readonly { readonly aggregate: { readonly name: string } }[],
  verb: 'set' | 'unset',
  metadata: string,
): string | null =>
  found.length === 1
    ? `berth host-aggregate ${verb} ${shellWord(found[0]?.aggregate.name ?? '')} ${shellWord(metadata)}`
    : null
