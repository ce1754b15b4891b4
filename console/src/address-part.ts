/**
 * The names that a part of the address may stand for, the likeliest first. The router has decoded some of its escapes
 * already, so a name with a percent sign in it may no longer be decodable.
 */
export function decodings(part: string): readonly string[] {
  try {
    return [decodeURIComponent(part), part]
  } catch {
    return [part]
  }
}
