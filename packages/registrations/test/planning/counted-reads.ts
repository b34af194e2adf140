/** A value that counts the reads of its properties, including those of nested values. */
export function countedReads<Value extends object>(value: Value) {
  const proxies = new WeakMap<object, object>()
  const counts = { reads: 0 }
  const counted = <One>(one: One): One => {
    // The methods of a date do not accept a proxy.
    if (typeof one !== 'object' || one === null || one instanceof Date) return one
    const known = proxies.get(one)
    if (known !== undefined) return known as One
    const proxy = new Proxy(one, {
      get: (target, property) => {
        counts.reads += 1
        return counted(Reflect.get(target, property))
      },
    })
    proxies.set(one, proxy)
    return proxy
  }
  return { value: counted(value), counts }
}
