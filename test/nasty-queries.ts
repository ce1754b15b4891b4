/** Queries as long as a URL may be, each long in one way. */
const CHARS = 60_000

const repeated = (text: string): string => text.repeat(Math.floor(CHARS / text.length)).slice(0, -1)

const numbered = (each: (nth: number) => string, charsMax = CHARS): string => {
  const parts: string[] = []
  for (let chars = 0; chars < charsMax; chars += (parts.at(-1) as string).length + 1)
    parts.push(each(parts.length))
  return parts.join('&')
}

const UUID = '00000000-0000-4000-8000-000000000001'

/** What parameters of lists and searches take. */
const NAMES = [
  'name',
  'member_of',
  'required',
  'resources',
  'sort',
  'sort_key',
  'limit',
  'marker',
  'metadata',
  'extra_specs',
]

export interface NastyQuery {
  readonly name: string
  readonly text: string
}

export function* nastyQueries(path: string): Generator<NastyQuery> {
  yield { name: 'one parameter again and again', text: repeated('a=1&') }
  yield { name: 'as many parameters as there is room for', text: numbered(nth => `a${nth}=`) }
  yield { name: 'one long value', text: `name=${'x'.repeat(CHARS)}` }
  yield { name: 'escapes', text: `name=${repeated('%41')}` }
  if (path.includes('allocation_candidates') || path.includes('resource_providers')) yield* placementQueries()
  else for (const name of NAMES) yield { name: `many ${name}`, text: `${name}=${repeated('{a:b},')}` }
}

/** The few of them that show most, for a walk that has to be short. */
export function* fewNastyQueries(path: string): Generator<NastyQuery> {
  yield { name: 'many parameters', text: numbered(nth => `a${nth}=`, CHARS / 4) }
  if (!path.includes('allocation_candidates')) return
  for (const query of placementQueries()) if (/groups|subtrees/.test(query.name)) yield query
}

function* placementQueries(): Generator<NastyQuery> {
  const groups = (count: number, each: (nth: number) => string): string =>
    Array.from({ length: count }, (_, nth) => each(nth + 1)).join('&')
  yield { name: 'resources', text: `resources=${repeated('VCPU:1,')}` }
  yield { name: 'traits', text: `resources=VCPU:1&required=${repeated('HW_CPU_X86_AVX,')}` }
  yield {
    name: 'repeated traits',
    text: `resources=VCPU:1&${repeated('required=in:HW_CPU_X86_AVX,HW_CPU_X86_AVX2&')}`,
  }
  yield { name: 'forbidden traits', text: `resources=VCPU:1&required=${repeated('C,!C,')}` }
  yield { name: 'aggregates', text: `resources=VCPU:1&member_of=in:${repeated(`${UUID},`)}` }
  yield { name: 'repeated aggregates', text: `resources=VCPU:1&${repeated(`member_of=${UUID}&`)}` }
  for (const policy of ['none', 'isolate']) {
    const more = `group_policy=${policy}`
    yield { name: `10 groups, ${policy}`, text: `${groups(10, nth => `resources${nth}=VCPU:1`)}&${more}` }
    yield {
      name: `59 groups, ${policy}`,
      text: `${groups(59, nth => `resources${nth}=VCPU:1,MEMORY_MB:${nth}`)}&${more}`,
    }
    yield {
      name: `199 groups, ${policy}`,
      text: `${groups(199, nth => `resources${nth}=VCPU:${(nth % 3) + 1}`)}&${more}`,
    }
    yield {
      name: `subtrees, ${policy}`,
      text: `${groups(60, nth => `resources_g${nth}=VCPU:1`)}&${more}&${groups(59, nth => `same_subtree=_g${nth},_g${nth + 1}`)}`,
    }
    yield {
      name: `one subtree again and again, ${policy}`,
      text: `${groups(60, nth => `resources_g${nth}=VCPU:1`)}&${more}&${repeated('same_subtree=_g1,_g2,_g3,_g4,_g5,_g6&')}`,
    }
  }
}
