interface Known<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** Returns the cached value of a key, and computes it on first use. */
export function getOrCompute<K, V extends {}>(known: Known<K, V>, key: K, workOut: (key: K) => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const value = workOut(key)
  known.set(key, value)
  return value
}

/** Caches a function of an object by identity. Does not keep the object alive. */
export function memoizeByIdentity<K extends WeakKey, V extends {}>(workOut: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return key => getOrCompute(known, key, workOut)
}
