/** How large numbers may be. Schemas, rules and the gate before the store use these and no others. */

/** A whole number of an amount: what an integer column of OpenStack's databases holds. */
export const AMOUNT_MAX = 2_147_483_647

/** A ratio: a float of single precision, as OpenStack's databases have it. */
export const RATIO_MAX = 3.40282e38

/** Any other whole number, such as a generation or a time: stores take more, but memory would not have it exactly. */
export const NUMBER_MAX = Number.MAX_SAFE_INTEGER

/** How many generations the audit log keeps of one change. */
export const AUDIT_GENERATIONS_MAX = 100
