/** The operators of requirements. Nova and Manila have dialects of one language. */
export const DIALECTS = ['nova', 'manila'] as const
export type Dialect = (typeof DIALECTS)[number]

interface Operator {
  readonly symbol: string
  /** Several operands, or only the first word that follows. */
  readonly takes: 'one' | 'several'
  /** What is compared: numbers, whole texts, parts of texts or members of lists, booleans. */
  readonly compares: 'numbers' | 'texts' | 'parts' | 'yes-or-no'
  /** Of the value, in words that follow "the value". */
  readonly meaning: string
}

const makeOperator = (symbol: string, compares: Operator['compares'], meaning: string): Operator => ({
  symbol,
  takes: 'one',
  compares,
  meaning,
})

const inBoth: readonly Operator[] = [
  makeOperator('=', 'numbers', 'is at least this number; not equal to it'),
  makeOperator('==', 'numbers', 'equals this number'),
  makeOperator('!=', 'numbers', 'is another number'),
  makeOperator('>=', 'numbers', 'is at least this number'),
  makeOperator('<=', 'numbers', 'is at most this number'),
  makeOperator('s==', 'texts', 'is this text'),
  makeOperator('s!=', 'texts', 'is another text'),
  makeOperator('s<', 'texts', 'comes before this text'),
  makeOperator('s<=', 'texts', 'comes before this text or is it'),
  makeOperator('s>', 'texts', 'comes after this text'),
  makeOperator('s>=', 'texts', 'comes after this text or is it'),
  makeOperator('<in>', 'parts', 'contains this text, or has it as a member'),
  { symbol: '<or>', takes: 'several', compares: 'texts', meaning: 'is one of these texts' },
]

const OPERATORS: Readonly<Record<Dialect, readonly Operator[]>> = {
  nova: [
    ...inBoth,
    { symbol: '<all-in>', takes: 'several', compares: 'parts', meaning: 'contains all of these' },
  ],
  manila: [...inBoth, makeOperator('<is>', 'yes-or-no', 'means yes, or no, as this word does')],
}

export const listOperators = (dialect: Dialect): readonly Operator[] => OPERATORS[dialect]

const bySymbol: Readonly<Record<Dialect, ReadonlyMap<string, Operator>>> = {
  nova: new Map(OPERATORS.nova.map(operator => [operator.symbol, operator])),
  manila: new Map(OPERATORS.manila.map(operator => [operator.symbol, operator])),
}

/** By the exact symbol. */
export const findOperatorBySymbol = (dialect: Dialect, symbol: string): Operator | undefined =>
  bySymbol[dialect].get(symbol)

/** A special sign, alone or among the words of `<or>`. */
interface Sentinel {
  readonly symbol: string
  /** Its meaning in a flavor, and in a forced aggregate. */
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

export const listSentinels = (dialect: Dialect): readonly Sentinel[] => SENTINELS[dialect]

const sentinelSymbols: ReadonlySet<string> = new Set(SENTINELS.nova.map(({ symbol }) => symbol))

export const isSentinel = (word: string): boolean => sentinelSymbols.has(word)

/** Manila lowercases everything, Nova nothing. */
export const foldCase = (dialect: Dialect, text: string): string =>
  dialect === 'manila' ? text.toLowerCase() : text
