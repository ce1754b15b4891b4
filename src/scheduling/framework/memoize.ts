interface Known<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** What is known of a key, worked out where it is not known yet. */
export function knownOr<K, V extends {}>(known: Known<K, V>, key: K, workOut: (key: K) => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const value = workOut(key)
  known.set(key, value)
  return value
}

/** A function of an object, worked out once for each and forgotten with it. */
export function memoizeByIdentity<K extends WeakKey, V extends {}>(workOut: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return key => knownOr(known, key, workOut)
}
