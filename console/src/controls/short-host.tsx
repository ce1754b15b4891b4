import { withoutDomain } from './host-name.ts'
import styles from './short-host.module.css'

/** How many characters at the end are always shown. */
const END_CHARS = 6
/** A name of this length fits everywhere. */
const SHORT_CHARS = 12

/** The name of a host without the common suffix; cut in the middle if it does not fit. */
export function ShortHost({ name, domain }: { readonly name: string; readonly domain: string }) {
  const short = withoutDomain(name, domain)
  if (name.length <= SHORT_CHARS) return name
  return (
    <>
      <span className="hidden">{name}</span>
      <span className={styles.short} aria-hidden="true" title={name}>
        <span className={styles.start}>{short.slice(0, -END_CHARS)}</span>
        <span className={styles.end}>{short.slice(-END_CHARS)}</span>
      </span>
    </>
  )
}
