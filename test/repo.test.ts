import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDecision } from '../scripts/decision-list.ts'
import { pages, withTables } from '../scripts/docs.ts'
import { defaultText } from '../src/config/default-text.ts'
import { isKeyName, keyOf } from '../src/config/keys.ts'
import { brokenLinks } from './page-links.ts'
import { unsafeIndexing } from './record-rules.ts'
import { productSources } from './regular-expressions.ts'
import {
  badNames,
  dependencyDrift,
  type Files,
  impureRules,
  LINES_PER_FILE_MAX,
  LINES_PER_FUNCTION_MAX,
  longFiles,
  longFunctions,
  missingPaths,
  processTouches,
  rulesInRoutes,
  spreadLiterals,
  unfinished,
  unknownSuffixes,
  unlistedRooms,
  unusedExports,
  worldWrites,
  wrongDirections,
} from './repo-rules.ts'
import { repositoryFiles, root } from './repository-files.ts'

/** Quoted names that sources have and a page does not. */
function unnamed(files: Files, page: string, pattern: RegExp): string[] {
  const names = new Set<string>()
  for (const [path, text] of files)
    if (/^src\/.*(?<!\.test|\.fixture|\.contract)\.ts$/.test(path))
      for (const [, name] of text.matchAll(pattern)) names.add(name as string)
  expect(names.size).toBeGreaterThan(0)
  return [...names].filter(name => !files.get(page)?.includes(`\`${name}\``))
}

/** Footnotes that name a file or a text that is not there, and paragraphs and rows of claims without one. */
function unheldClaims(files: Files, page: string): string[] {
  const text = files.get(page) ?? ''
  const [claims = ''] = text.split('## What is not')
  const bare = claims
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split(/\n\n|\n(?=\s*[|*] )/)
    .filter(part => /^(\s*\|(?! (---|what|rule|failures|against|\|))|\s*\* |[A-Z])/.test(part))
    .filter(part => !part.includes('[^') && !part.includes('the limits above'))
  const missing = [...text.matchAll(/`([\w./-]+)` "([^"]+)"/g)].flatMap(([, file = '', title = '']) =>
    readFileSync(join(root, file), 'utf8').includes(title) ? [] : [`${file}: ${title}`],
  )
  return [...bare, ...missing]
}

/** Rows of tables that link to a numeric key of the configuration and do not show its default. */
function wrongDefaults(files: Files): string[] {
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^\|.*configuration\.md#(\w+).*$/gm)].flatMap(([row, name]) => {
        if (!isKeyName(name as string)) return [`${path}: there is no key ${name}`]
        const key = name as Parameters<typeof keyOf>[0]
        if (keyOf(key).kind.type !== 'integer' || row.includes(defaultText(key))) return []
        return [`${path}: the default of ${name} is ${defaultText(key)}`]
      }),
    )
}

describe('the repository keeps its own rules', () => {
  const files = repositoryFiles()

  test('imports run one way, as test/rooms.ts says', () => {
    expect(wrongDirections(files)).toEqual([])
  })

  test('every folder has a line in test/rooms.ts, and every line a folder', () => {
    expect(unlistedRooms(files)).toEqual([])
  })

  test('every suffix of a source is explained', () => {
    expect(unknownSuffixes(files)).toEqual([])
  })

  test('rules reach neither http, store, packages nor Node', () => {
    expect(impureRules(files)).toEqual([])
  })

  test('only src/world, src/store, rehearsals and copies write to a world', () => {
    expect(worldWrites(files)).toEqual([])
  })

  test('no route runs a rule: it submits a command', () => {
    expect(rulesInRoutes(files)).toEqual([])
  })

  test('only src/main.ts touches process', () => {
    expect(processTouches(files)).toEqual([])
  })

  test('no object with texts for keys is indexed by a variable', () => {
    expect(unsafeIndexing(productSources())).toEqual([])
  })

  test('names are kebab-case and say what is inside', () => {
    expect(badNames(files)).toEqual([])
  })

  test(`no source has more than ${LINES_PER_FILE_MAX} lines`, () => {
    expect(longFiles(files)).toEqual([])
  })

  test(`no function has more than ${LINES_PER_FUNCTION_MAX} lines`, () => {
    expect(longFunctions(files)).toEqual([])
  })

  test('nothing is left for later', () => {
    expect(unfinished(files)).toEqual([])
  })

  test('no object literal is spread into another', () => {
    expect(spreadLiterals(files)).toEqual([])
  })

  test('every export is imported somewhere', () => {
    expect(unusedExports(files)).toEqual([])
  })

  test('the dependencies are those that the sources use', () => {
    expect(dependencyDrift(files)).toEqual([])
  })

  test('links between pages lead to a page and, with an anchor, to one of its headings', () => {
    expect(brokenLinks(files)).toEqual([])
  })

  test('files and folders that pages name exist', () => {
    expect(missingPaths(files)).toEqual([])
  })

  test('docs/reference/security.md names tests that exist behind every claim', () => {
    expect(unheldClaims(files, 'docs/reference/security.md')).toEqual([])
  })

  test('the reference names every error code of Placement', () => {
    expect(unnamed(files, 'docs/reference/placement.md', /'(placement\.[a-z_.]+)'/g)).toEqual([])
  })

  test('the reference explains every metric', () => {
    const registered = /\.(?:counter|readCounter|gauge|longGauge|histogram)\(\s*'(\w+)'/g
    expect(unnamed(files, 'docs/reference/metrics.md', registered)).toEqual([])
  })

  test('tables of limits show the defaults of the configuration', () => {
    expect(wrongDefaults(files)).toEqual([])
  })

  test('every decision has a unique number, a status and a date', () => {
    const decisions = [...files].filter(([path]) => /^docs\/adr\/\d/.test(path))
    const parsed = decisions.map(([path, text]) => parseDecision(path.slice('docs/adr/'.length), text))
    expect(decisions.filter((_, at) => parsed[at] === null).map(([path]) => path)).toEqual([])
    expect(new Set(parsed.map(page => page?.number)).size).toBe(decisions.length)
    expect(decisions.length).toBeGreaterThan(10)
  })

  test('generated pages are current (npm run docs)', () => {
    const stale = Object.entries(pages).filter(([path, text]) => files.get(path) !== text())
    expect(stale.map(([path]) => path)).toEqual([])
  })

  test('the lockfile names no registry', () => {
    expect(files.get('package-lock.json')).not.toMatch(/"resolved": "https?:/)
  })

  test.each([
    'bin/berth',
    'bin/placement-api',
    'bin/placement-manage',
    'bin/placement-status',
    'conformance/serve',
    '.ci/run',
  ])('%s can be run', path => {
    expect(statSync(join(root, path)).mode & 0o111).toBe(0o111)
  })
})

describe('the rules find what they are for', () => {
  const one = (path: string, text: string): Files => new Map([[path, text]])

  test.each([
    ['src/kernel/clock.ts', "import { hrtime } from 'node:process'"],
    ['src/kernel/clock.ts', "import { World } from '../world/world.ts'"],
    ['src/world/world.ts', "import x from 'pg'"],
    ['src/store/store.ts', "import type { Rule } from '../placement/rules.ts'"],
    ['src/http/server.ts', "const late = await import('../placement/rules.ts')"],
    ['src/http/server.ts', "export * from '../cli/serve.ts'"],
    ['src/http/api.ts', "import type { Policy } from '../identity/policy/policy.ts'"],
    ['src/placement/traits/traits.routes.ts', "import '../../main.ts'"],
    ['src/attic/old.ts', ''],
  ])('%s with "%s" goes the wrong way', (path, text) => {
    expect(wrongDirections(one(path, text))).toEqual([expect.stringContaining(`${path}: `)])
  })

  test('a room within a room may have a stricter rule', () => {
    const path = 'src/identity/rules/users.ts'
    const text = "import { json } from '../../http/api.ts'"
    expect(wrongDirections(one(path, text))).toEqual([
      `${path}: src/identity/rules must not import src/http/api.ts`,
    ])
  })

  test('a folder without a line is found', () => {
    expect(unlistedRooms(one('src/kernel/attic/old.ts', ''))).toContain(
      'src/kernel/attic: has no line in test/rooms.ts; add one, then npm run docs',
    )
    expect(unlistedRooms(one('attic/old.ts', ''))).toContain(
      'attic: has no line in test/rooms.ts; add one, then npm run docs',
    )
    expect(unlistedRooms(one('src/kernel/a.ts', ''))).toContain(
      'src/world: is in test/rooms.ts and does not exist',
    )
  })

  test('an unknown suffix is found, those of tests too', () => {
    const found = (path: string) => unknownSuffixes(one(path, ''))
    expect(found('src/shares/a.attic.ts')).toEqual([
      "src/shares/a.attic.ts: '.attic' is no suffix of test/rooms.ts",
    ])
    expect(found('src/shares/a.attic.test.ts')).toHaveLength(1)
    expect(
      ['a.ts', 'a.routes.ts', 'a.routes.test.ts', 'a.property.test.ts'].flatMap(name =>
        found(`src/shares/${name}`),
      ),
    ).toEqual([])
  })

  test.each([
    'src/placement/traits/traits.ts',
    'src/placement/versions.ts',
    'src/scheduling/hosts/filters/aggregate-instance-type/demands.ts',
    'src/identity/rules/users.ts',
    'src/usage-history/rules.ts',
    'src/commands.ts',
  ])('%s is a rule at any depth', path => {
    expect(impureRules(one(path, "import 'node:fs'"))).toEqual([`${path}: a rule must not import node:fs`])
  })

  test('files around the rules may import Node', () => {
    const paths = ['src/shares/share/a.body.ts', 'src/shares/context.ts', 'src/identity/policy/a.ts']
    expect(paths.flatMap(path => impureRules(one(path, "import 'node:fs'")))).toEqual([])
  })

  test.each([
    'world.apply(change)',
    'this.#world.undo(change)',
    'past.world?.apply(change)',
    "at['apply'](change)",
  ])('a rule with %s writes to the world', text => {
    const path = 'src/placement/traits/traits.ts'
    expect(worldWrites(one(path, text))).toEqual([expect.stringContaining(`${path}: `)])
    expect(worldWrites(one('src/world/rehearsal.ts', text))).toEqual([])
  })

  test('a route that runs a rule is found; types and other functions of the file are not', () => {
    const route = 'src/catalog/tags/tags.routes.ts'
    const importing = (names: string): ReadonlyMap<string, string> =>
      new Map([
        ['src/catalog/rules.ts', "import { createTag } from './tags/tags.ts'"],
        [route, `import { ${names} } from './tags.ts'`],
      ])
    expect(rulesInRoutes(importing('createTag as create, type Tag'))).toEqual([
      `${route}: createTag is a rule; submit its command`,
    ])
    expect(rulesInRoutes(importing('listTags, type createTag'))).toEqual([])
  })

  test('an import in a comment is none', () => {
    expect(wrongDirections(one('src/kernel/clock.ts', "// from 'node:fs'\n/* import 'pg' */"))).toEqual([])
  })

  test('a rule that reaches http through another file is found, with that file', () => {
    const files = new Map([
      ['src/placement/traits/traits.ts', "import { parts } from '../query-parts.ts'"],
      ['src/placement/traits/traits.routes.ts', "import { json } from '../../http/api.ts'"],
      ['src/placement/query-parts.ts', "import { Query } from '../http/request/query.ts'"],
    ])
    expect(impureRules(files)).toEqual([
      'src/placement/traits/traits.ts: a rule must not import src/http/request/query.ts (through src/placement/query-parts.ts)',
    ])
  })

  test('process is found in code, not in words', () => {
    expect(processTouches(one('src/http/a.ts', 'if (process.env.X) process.exit(1)'))).toHaveLength(1)
    expect(processTouches(one('src/http/a.ts', "// the process.\nconst a = 'process.env'"))).toEqual([])
    expect(processTouches(one('src/main.ts', 'process.exit(1)'))).toEqual([])
  })

  test.each([
    'src/utils/a.ts',
    'src/http/helpers.ts',
    'src/types.ts',
    'src/Http/a.ts',
    'docs/add_a_table.md',
  ])('%s is a bad name', path => expect(badNames(one(path, ''))).toEqual([expect.stringContaining(path)]))

  test('resource-types, README.md and .ci/run are good names', () => {
    const paths = [
      'src/catalog/resource-types/resource-types.routes.ts',
      'README.md',
      '.ci/run',
      'docs/adr/0001-a.md',
    ]
    expect(paths.flatMap(path => badNames(one(path, '')))).toEqual([])
  })

  test('one line too many is found, in a file and in a function', () => {
    const lines = (count: number) => 'x()\n'.repeat(count)
    expect(longFiles(one('src/a.ts', lines(LINES_PER_FILE_MAX)))).toEqual([])
    expect(longFiles(one('src/a.ts', lines(LINES_PER_FILE_MAX + 1)))).toHaveLength(1)
    for (const head of ['function f() {', 'const f = async (a: A): B => {', 'class A {\n  f(a: A): B {']) {
      const indent = head.startsWith('class') ? '  ' : ''
      const body = (count: number) => `${head}\n${'    x()\n'.repeat(count)}${indent}}\n`
      expect(longFunctions(one('src/a.ts', body(LINES_PER_FUNCTION_MAX - 2))), head).toEqual([])
      expect(longFunctions(one('src/a.ts', body(LINES_PER_FUNCTION_MAX - 1))), head).toHaveLength(1)
    }
  })

  test('an object literal that is spread is found, other spreads are left alone', () => {
    // Put together, so that this file does not have it.
    const trick = `..${'.{'} a, b }`
    expect(spreadLiterals(one('console/src/a.tsx', `x = {\n  ${trick},\n}`))).toEqual([
      `console/src/a.tsx:2: ${trick},`,
    ])
    expect(spreadLiterals(one('src/a.ts', 'x = { ...a, ...(b ? { c } : {}) }'))).toEqual([])
  })

  test('an export that nothing imports is found; names, types, stars and late imports count', () => {
    const files = new Map([
      [
        'src/a.ts',
        'export const one = 1\nexport interface Two {}\nexport function three() {}\nexport type Four = 4\n',
      ],
      ['src/b.ts', 'export const all = 1\n'],
      ['src/c.ts', 'export const late = 1\n'],
      [
        'test/d.ts',
        "import {\n  one as first,\n  type Two,\n} from '../src/a.ts'\nimport * as b from '../src/b.ts'",
      ],
      ['console/e.tsx', "import type { Four } from '../src/a.ts'\nconst c = await import('../src/c.ts')"],
    ])
    expect(unusedExports(files)).toEqual(['src/a.ts: nothing imports three'])
  })

  test('dependencies are compared both ways', () => {
    const files = new Map([
      ['package.json', '{"dependencies": {"commander": "5", "@scope/unused": "1"}}'],
      ['src/http/a.ts', "import f from 'commander'\nimport { x } from '@scope/used/deep'"],
    ])
    expect(dependencyDrift(files)).toEqual([
      'package.json: nothing in src uses @scope/unused',
      'src/http/a.ts: @scope/used is no dependency in package.json',
    ])
  })

  test('a link that leads nowhere is found, others are left alone', () => {
    const text = '# Part\n\n[a](gone.md) [c](https://example.org) [d](../src/) [e](page.md#part)'
    const files = new Map([
      ['docs/page.md', text],
      ['src/a.ts', ''],
    ])
    expect(brokenLinks(files)).toEqual(['docs/page.md: the link to gone.md leads nowhere'])
  })

  test('an anchor without its heading is found', () => {
    const files = new Map([
      ['a.md', '[b](b.md#two-words-of-it) [c](b.md#same-1) [d](b.md#gone) [e](#gone) [f](b.md#in-a-block)'],
      ['b.md', '# Two words, of `it`\n\n## Same\n\n## Same\n\n```sh\n# in a block\n```\n'],
    ])
    expect(brokenLinks(files)).toEqual([
      'a.md: the link to b.md#gone leads to no heading of b.md',
      'a.md: the link to #gone leads to no heading of a.md',
      'a.md: the link to b.md#in-a-block leads to no heading of b.md',
    ])
  })

  test('a path that a page names and that is gone is found', () => {
    const files = new Map([
      ['docs/page.md', '`src/a.ts` `src/rooms/` `src/rooms/*.ts` `src/<engine>/b.ts` `src/gone.ts` `a/b`'],
      ['src/a.ts', ''],
      ['src/rooms/b.ts', ''],
    ])
    expect(missingPaths(files)).toEqual(['docs/page.md: src/gone.ts does not exist'])
  })

  test('a claim without a test is found, and a test that is not there', () => {
    // Put together, so that this file does not have it.
    const title = 'no such '.repeat(2)
    const page = `# P\n\nHeld.[^a]\n\nBare.\n\n| row |\n\n[^a]: \`test/repo.test.ts\` "${title}".\n`
    const found = unheldClaims(new Map([['p.md', page]]), 'p.md')
    expect(found).toEqual(['Bare.', '| row |', `test/repo.test.ts: ${title}`])
  })

  test('a name that a page lacks is found', () => {
    const files = new Map([
      ['src/a.ts', "registry.counter('one_total')\nregistry.gauge(\n  'two_rows')"],
      ['src/a.test.ts', "registry.counter('three_total')"],
      ['docs/a.md', 'about `one_total`'],
    ])
    expect(unnamed(files, 'docs/a.md', /\.(?:counter|gauge)\(\s*'(\w+)'/g)).toEqual(['two_rows'])
  })

  test('a default that is not the real one is found', () => {
    const row = (port: string) => `| port | ${port} | [\`port\`](configuration.md#port) |`
    expect(wrongDefaults(one('docs/a.md', row('8778')))).toEqual([])
    expect(wrongDefaults(one('docs/a.md', row('80')))).toEqual(['docs/a.md: the default of port is 8778'])
    expect(wrongDefaults(one('docs/a.md', '| [x](configuration.md#gone) |'))).toEqual([
      'docs/a.md: there is no key gone',
    ])
  })

  test('a table is replaced between its marks, and the rest of the page stays', () => {
    const page = (content: string) =>
      `before\n\n<!-- a: made by npm run docs -->${content}<!-- end of a -->\n\nafter\n`
    const made = page('\n\nnew\n\n')
    expect(withTables(page('\nold\n'), { a: 'new' })).toBe(made)
    expect(withTables(made, { a: 'new' })).toBe(made)
    expect(() => withTables(made, { b: 'new' })).toThrow("there is no place for the table 'b'")
  })

  test('a decision without status or date, or under another number, is found', () => {
    const head = '# 1. A title\n\n* Status: accepted\n* Date: 2026-01-31\n\n'
    expect(parseDecision('0001-a-title.md', head)).toMatchObject({ number: 1, status: 'accepted' })
    expect(
      parseDecision('0001-a-title.md', head.replace('accepted', 'superseded by [2](0002-b.md)')),
    ).not.toBeNull()
    expect(parseDecision('0002-a-title.md', head)).toBeNull()
    expect(parseDecision('0001-a-title.md', head.replace('* Date: 2026-01-31\n', ''))).toBeNull()
    expect(parseDecision('0001-a-title.md', head.replace('accepted', 'maybe'))).toBeNull()
  })

  test('work left for later is found with its line', () => {
    const mark = ['FIX', 'ME'].join('')
    expect(unfinished(one('src/a.ts', `x()\n// ${mark}: later`))).toEqual([`src/a.ts:2: // ${mark}: later`])
  })
})
