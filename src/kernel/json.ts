/** A JSON object whose members are still to be checked. */
export type Json = Readonly<Record<string, unknown>>
