import { stripEnd, stripEnds } from '../../kernel/strip.ts'

/** The characters that Python treats as white space; JavaScript's set differs. */
const SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'

export const trimSpace = (text: string): string => stripEnds(text, SPACE)
export const trimSpaceEnd = (text: string): string => stripEnd(text, SPACE)
