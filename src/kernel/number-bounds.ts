/** Limits of numbers, which schemas, rules and the final check before the store share. */

/** An integer amount: the range of an integer column in OpenStack's databases. */
export const AMOUNT_MAX = 2_147_483_647

/** A ratio: a single-precision float, as in OpenStack's databases. */
export const RATIO_MAX = 3.40282e38

/** Any other integer, such as a generation or a time. Stores hold more, but JavaScript numbers would not be exact. */
export const NUMBER_MAX = Number.MAX_SAFE_INTEGER

/** How many hosts one command changes. */
export const CHANGED_HOSTS_MAX = 1_000

/** How many generations the audit log keeps of one change. */
export const AUDIT_GENERATIONS_MAX = 100
