import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml'

/** More than any policy file needs. `yaml` takes quadratic time for deep texts. */
export const YAML_DEPTH_MAX = 64

/** The text is nested too deeply; `offset` says where. */
export class YamlTooDeep extends Error {
  override name = 'YamlTooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(`it is nested more than ${YAML_DEPTH_MAX} levels deep`)
    this.offset = offset
  }
}

/**
 * The only document of a text, with its errors. Like `parseDocument` of `yaml`, but in linear time: it stops at the first
 * level that is too deep, with YamlTooDeep, and at the first invalid token.
 */
export function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  const composer = new Composer({
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  let first: Document.Parsed | null = null
  for (const document of composer.compose(tokensOf(text, lines), true, text.length)) {
    if (first !== null) {
      const [from, to] = document.range
      first.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'there is more than one document'))
      break
    }
    first = document as Document.Parsed
  }
  return first as Document.Parsed
}

function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  for (const lexeme of new Lexer().lex(text)) {
    let isWrong = false
    for (const token of parser.next(lexeme)) {
      isWrong ||= token.type === 'error'
      yield token
    }
    if (isWrong) break
    // The first one is the document.
    if (parser.stack.length - 1 > YAML_DEPTH_MAX) throw new YamlTooDeep(parser.offset)
  }
  yield* parser.end()
}
