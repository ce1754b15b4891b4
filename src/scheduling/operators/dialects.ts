/** The operators that requirements are written with. Nova and Manila each speak a dialect of one language. */
export const DIALECTS = ['nova', 'manila'] as const
export type Dialect = (typeof DIALECTS)[number]

interface Operator {
  readonly symbol: string
  /** Several operands, or only the first word that follows. */
  readonly takes: 'one' | 'several'
  /** What is compared: numbers, whole texts, parts of texts or members of lists, yes and no. */
  readonly compares: 'numbers' | 'texts' | 'parts' | 'yes-or-no'
  /** Of the value, in words that follow "the value". */
  readonly meaning: string
}

const one = (symbol: string, compares: Operator['compares'], meaning: string): Operator => ({
  symbol,
  takes: 'one',
  compares,
  meaning,
})

const inBoth: readonly Operator[] = [
  one('=', 'numbers', 'is at least this number; not equal to it'),
  one('==', 'numbers', 'equals this number'),
  one('!=', 'numbers', 'is another number'),
  one('>=', 'numbers', 'is at least this number'),
  one('<=', 'numbers', 'is at most this number'),
  one('s==', 'texts', 'is this text'),
  one('s!=', 'texts', 'is another text'),
  one('s<', 'texts', 'comes before this text'),
  one('s<=', 'texts', 'comes before this text or is it'),
  one('s>', 'texts', 'comes after this text'),
  one('s>=', 'texts', 'comes after this text or is it'),
  one('<in>', 'parts', 'contains this text, or has it as a member'),
  { symbol: '<or>', takes: 'several', compares: 'texts', meaning: 'is one of these texts' },
]

const OPERATORS: Readonly<Record<Dialect, readonly Operator[]>> = {
  nova: [
    ...inBoth,
    { symbol: '<all-in>', takes: 'several', compares: 'parts', meaning: 'contains all of these' },
  ],
  manila: [...inBoth, one('<is>', 'yes-or-no', 'means yes, or no, as this word does')],
}

export const operatorsOf = (dialect: Dialect): readonly Operator[] => OPERATORS[dialect]

const bySymbol: Readonly<Record<Dialect, ReadonlyMap<string, Operator>>> = {
  nova: new Map(OPERATORS.nova.map(operator => [operator.symbol, operator])),
  manila: new Map(OPERATORS.manila.map(operator => [operator.symbol, operator])),
}

/** The operator of that symbol, exactly as it is printed. */
export const operatorNamed = (dialect: Dialect, symbol: string): Operator | undefined =>
  bySymbol[dialect].get(symbol)

/** A sign that stands for values of its own, alone or among the words of `<or>`. */
interface Sentinel {
  readonly symbol: string
  /** What a flavor asks of aggregates by it, and a forced aggregate of flavors. */
  readonly in_flavor: string
  readonly in_aggregate: string
}

const SENTINELS: Readonly<Record<Dialect, readonly Sentinel[]>> = {
  nova: [
    {
      symbol: '*',
      in_flavor: 'any value, if the aggregate has the key',
      in_aggregate: 'the flavor must have the key, with any value',
    },
    { symbol: '~', in_flavor: 'the key may be missing', in_aggregate: 'the flavor may leave the key out' },
    { symbol: '!', in_flavor: 'the key must not be there', in_aggregate: 'the flavor must not have the key' },
  ],
  manila: [],
}

export const sentinelsOf = (dialect: Dialect): readonly Sentinel[] => SENTINELS[dialect]

const sentinelSymbols: ReadonlySet<string> = new Set(SENTINELS.nova.map(({ symbol }) => symbol))

export const isSentinel = (word: string): boolean => sentinelSymbols.has(word)

/** Manila reads everything in lower case, Nova nothing. */
export const folded = (dialect: Dialect, text: string): string =>
  dialect === 'manila' ? text.toLowerCase() : text
