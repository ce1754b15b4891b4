import { Link } from 'wouter'
import { useSession } from '../session/session.tsx'
import styles from './catalog-tabs.module.css'

const TABS = [
  ['/catalog', 'Browse', 'get_metadef_namespaces'],
  ['/catalog/import', 'Import', 'berth:catalog:import'],
  ['/catalog/drift', 'Drift', 'berth:catalog:drift'],
] as const

export function CatalogTabs({ at }: { readonly at: (typeof TABS)[number][0] }) {
  const { may } = useSession()
  return (
    <nav aria-label="Catalog" className={styles.tabs}>
      {TABS.filter(([to, , operation]) => to === at || may(operation)).map(([to, label]) => (
        <Link key={to} href={to} {...(to === at ? { 'aria-current': 'page' as const } : {})}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
