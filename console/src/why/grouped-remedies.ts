/** A single change that would help, as the server describes it. */
export interface Remedy {
  readonly kind: string
  readonly text: string
  readonly provider?: { readonly uuid: string; readonly name: string }
  /** The aggregate to add the provider to, or to remove it from. */
  readonly aggregate?: string
}

interface RemedyGroup {
  readonly text: string
  readonly first: Remedy
  /** Any of them is enough; empty if the request changes. */
  readonly providers: readonly { readonly uuid: string; readonly name: string }[]
}

/** The same change of several providers is shown once. */
export function groupedRemedies(changes: readonly Remedy[]): readonly RemedyGroup[] {
  const groups = new Map<string, RemedyGroup>()
  for (const change of changes) {
    const { provider, text, kind } = change
    const key = provider === undefined ? text : `${kind} ${anyOf(text, provider.name)}`
    const known = groups.get(key)
    if (provider === undefined) groups.set(key, { text, first: change, providers: [] })
    else if (known === undefined) groups.set(key, { text, first: change, providers: [provider] })
    else
      groups.set(key, {
        ...known,
        text: anyOf(text, provider.name),
        providers: [...known.providers, provider],
      })
  }
  return [...groups.values()]
}

const anyOf = (text: string, name: string): string => text.replace(name, 'any of these')
