/** Header fields without the class of `fetch`, which costs a start more than the request. */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string>()

  constructor(init: HeadersInit = {}) {
    const isList = Symbol.iterator in init
    for (const [name, value] of isList
      ? (init as Iterable<[string, string]>)
      : Object.entries(init))
      this.append(name, value)
  }

  append(name: string, value: string): void {
    const before = this.get(name)
    this.set(name, before === null ? value : `${before}, ${value}`)
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  getSetCookie(): string[] {
    return []
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value.trim())
  }

  forEach(visit: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this.#values) visit(value, name, this)
  }

  entries(): MapIterator<[string, string]> {
    return this.#values.entries()
  }

  keys(): MapIterator<string> {
    return this.#values.keys()
  }

  values(): MapIterator<string> {
    return this.#values.values()
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries()
  }
}
