/**
 * Writes the generated parts of docs: whole pages, and tables between markers in pages written by hand.
 * `--check` writes nothing and exits with 1 if a page is out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatalogContext } from '../src/catalog/context.ts'
import { catalogRoutes } from '../src/catalog/routes.ts'
import type { ComputeContext } from '../src/compute/context.ts'
import { computeRoutes } from '../src/compute/routes.ts'
import { versions as computeVersions } from '../src/compute/versions.ts'
import type { Route } from '../src/http/api.ts'
import type { IdentityContext } from '../src/identity/api/context.ts'
import { identityRoutes } from '../src/identity/api/service.ts'
import { compilePolicy } from '../src/identity/policy/compile-policy.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { Microversions } from '../src/kernel/microversions.ts'
import type { PlacementContext } from '../src/placement/context.ts'
import { placementRoutes } from '../src/placement/routes.ts'
import { versions as placementVersions } from '../src/placement/versions.ts'
import type { ShareContext } from '../src/shares/context.ts'
import { shareServiceRoutes } from '../src/shares/routes.ts'
import { versions as shareVersions } from '../src/shares/versions.ts'
import { World } from '../src/world/world.ts'
import { architectureTables } from './architecture-tables.ts'
import { commandLineReference } from './command-line-reference.ts'
import { configurationReference } from './configuration-reference.ts'
import { decisionList } from './decision-list.ts'
import { filterTables } from './filters-tables.ts'
import { table } from './markdown-table.ts'
import { metricsReference } from './metrics-reference.ts'
import { placementConfReference } from './placement-conf-reference.ts'
import { v1Reference } from './v1-reference.ts'

const root = new URL('..', import.meta.url)
const ARCHITECTURE = 'docs/architecture.md'
const CATALOG = 'docs/reference/catalog.md'
const COMPUTE = 'docs/reference/compute.md'
const DECISIONS = 'docs/adr/README.md'
const FILTERS = 'docs/reference/filters.md'
const IDENTITY = 'docs/reference/security.md'
const PLACEMENT = 'docs/reference/placement.md'
const SHARES = 'docs/reference/shares.md'

/** Path of each page from the root of the repository, and its text. */
export const pages: Readonly<Record<string, () => string>> = {
  [ARCHITECTURE]: () => withTables(textOnDisk(ARCHITECTURE) ?? '', architectureTables()),
  [CATALOG]: () => withTables(textOnDisk(CATALOG) ?? '', { routes: catalogRouteTable() }),
  'docs/reference/command-line.md': commandLineReference,
  [COMPUTE]: () =>
    withTables(textOnDisk(COMPUTE) ?? '', {
      routes: computeRouteTable(),
      history: historyOf(computeVersions),
    }),
  'docs/reference/configuration.md': configurationReference,
  [DECISIONS]: () => withTables(textOnDisk(DECISIONS) ?? '', { decisions: decisionList() }),
  [FILTERS]: () => withTables(textOnDisk(FILTERS) ?? '', filterTables()),
  [IDENTITY]: () =>
    withTables(textOnDisk(IDENTITY) ?? '', { routes: identityRouteTable(), operations: operationTable() }),
  'docs/reference/metrics.md': metricsReference,
  'docs/reference/placement-conf.md': placementConfReference,
  [PLACEMENT]: () =>
    withTables(textOnDisk(PLACEMENT) ?? '', {
      routes: placementRouteTable(),
      history: historyOf(placementVersions),
    }),
  [SHARES]: () =>
    withTables(textOnDisk(SHARES) ?? '', { routes: shareRouteTable(), history: historyOf(shareVersions) }),
  'docs/reference/v1.md': v1Reference,
}

function textOnDisk(path: string): string | null {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return null
  }
}

/** The page with each table between its marks; all else stays as it is. */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, content]) => {
    const open = `<!-- ${name}: made by npm run docs -->`
    const close = `<!-- end of ${name} -->`
    const from = text.indexOf(open)
    const to = text.indexOf(close)
    if (from < 0 || to < from)
      throw new Error(`there is no place for the table '${name}': write ${open} and ${close}`)
    return `${text.slice(0, from + open.length)}\n\n${content}\n\n${text.slice(to)}`
  }, page)
}

function historyOf({ history }: Pick<Microversions<unknown>, 'history'>): string {
  return table(
    ['version', 'brings'],
    history.map(({ version, brings }) => [version, brings]),
  )
}

function routesOf<F extends string>(
  routes: readonly Route<{ readonly [K in F]: boolean }>[],
  { min, minorMin, featuresOf }: Microversions<{ readonly [K in F]: boolean }>,
): string {
  const major = min.split('.')[0]
  const first = (feature: F) => {
    let minor = minorMin
    while (!featuresOf(minor)[feature]) minor++
    return minor
  }
  return table(
    ['method', 'path', 'versions', 'policy operation'],
    routes
      .filter(({ path }) => !path.includes('{project_id}'))
      .map(({ method, path, since, until, operation }) => [
        method,
        `\`${path}\``,
        `${major}.${since === undefined ? minorMin : first(since)}` +
          (until === undefined ? '' : ` to ${major}.${first(until) - 1}`),
        operation === null ? 'open to all' : `\`${operation}\``,
      ]),
  )
}

function identityRouteTable(): string {
  const routes = identityRoutes({ world: new World() } as unknown as IdentityContext)
  return table(
    ['method', 'path', 'policy operation'],
    routes.map(({ method, path, operation }) => [
      method,
      `\`${path}\``,
      operation === null ? 'open to all' : `\`${operation}\``,
    ]),
  )
}

function operationTable(): string {
  return table(
    ['operation', 'lets people', 'rule'],
    compilePolicy('secure').rules.map(({ operation, what, rule }) => [
      `\`${operation}\``,
      what,
      `\`${rule}\``,
    ]),
  )
}
// Enough to list the routes; none of them is called.
const placementRouteTable = (): string => {
  const context = { world: new World(), settings: {}, clock: systemClock } as unknown as PlacementContext
  return routesOf(placementRoutes(context), placementVersions)
}

const computeRouteTable = (): string =>
  routesOf(computeRoutes({ world: new World() } as unknown as ComputeContext), computeVersions)

const shareRouteTable = (): string =>
  routesOf(shareServiceRoutes({ world: new World() } as unknown as ShareContext), shareVersions)

function catalogRouteTable(): string {
  const routes = catalogRoutes({ world: new World() } as unknown as CatalogContext)
  return table(
    ['method', 'path', 'policy operation'],
    routes.map(({ method, path, operation, asksPolicy }) => [
      method,
      `\`${path}\``,
      asksPolicy === true ? `\`${operation}\`` : path.startsWith('/v2/') ? 'a token' : 'open to all',
    ]),
  )
}

if (import.meta.main) {
  const stale = Object.entries(pages).filter(([path, text]) => textOnDisk(path) !== text())
  for (const [path, text] of stale) {
    console.log(path)
    if (process.argv.includes('--check')) process.exitCode = 1
    else {
      const file = fileURLToPath(new URL(path, root))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text())
    }
  }
}
