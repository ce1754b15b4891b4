/** Names of hosts in a list, without the suffix that all of them share. */

/** The longest common suffix, from a dot on, of all names with a dot; empty if two names would look the same without it. */
export function domainOf(names: readonly string[]): string {
  let domain: string | null = null
  let dotted = 0
  for (const name of names) {
    if (name.indexOf('.') <= 0) continue
    dotted++
    domain ??= name.slice(name.indexOf('.'))
    while (domain !== '' && !name.endsWith(domain)) domain = shorter(domain)
    if (domain === '') return ''
  }
  if (domain === null || dotted < 2) return ''
  const seen = new Set(names.map(name => withoutDomain(name, domain)))
  return seen.size === new Set(names).size ? domain : ''
}

function shorter(domain: string): string {
  const next = domain.indexOf('.', 1)
  return next < 0 ? '' : domain.slice(next)
}

export const withoutDomain = (name: string, domain: string): string =>
  domain !== '' && name.length > domain.length && name.endsWith(domain) ? name.slice(0, -domain.length) : name

/** The end of a name distinguishes hosts more often than its middle. */
export const cutMiddle = (text: string, charsMax: number): string => {
  if (text.length <= charsMax) return text
  const tail = Math.floor((charsMax - 1) / 2)
  return `${text.slice(0, charsMax - 1 - tail)}…${text.slice(-tail)}`
}
