import { Link } from 'wouter'
import styles from './catalog-tabs.module.css'

const TABS = [
  ['/catalog', 'Browse'],
  ['/catalog/import', 'Import'],
  ['/catalog/drift', 'Drift'],
] as const

export function CatalogTabs({ at }: { readonly at: (typeof TABS)[number][0] }) {
  return (
    <nav aria-label="Catalog" className={styles.tabs}>
      {TABS.map(([to, label]) => (
        <Link key={to} href={to} {...(to === at ? { 'aria-current': 'page' as const } : {})}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
