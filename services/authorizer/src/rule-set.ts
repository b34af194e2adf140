/** A rule of the file. */
export type Rule = {
  /** Undefined for every method. `GET` includes `HEAD`. */
  readonly methods: ReadonlySet<string> | undefined
  /** The decoded segments of the path. Undefined stands for any one segment. */
  readonly segments: readonly (string | undefined)[]
  /** Whether the rule is also for every path below. */
  readonly isPrefix: boolean
  readonly requires: { readonly role: string } | 'any_caller' | 'nothing'
}

/** The first rule of a request; or the reason why there is none. */
export type RuleMatch =
  | { readonly rule: Rule }
  /** `allowed` has the methods of rules for this path; it is empty when there are none. */
  | { readonly rule: undefined; readonly allowed: readonly string[] }
  | 'ambiguous'

/** Rules in the order of the file. */
export class RuleSet {
  readonly rules: readonly Rule[]
  readonly #folded: readonly Rule[]

  constructor(rules: readonly Rule[]) {
    this.rules = rules
    this.#folded = rules.map((rule) => ({ ...rule, segments: fold(rule.segments) }))
  }

  /**
   * Finds the first rule for a method and the segments of a path. Case and a slash at the end are
   * significant. A server may ignore them, so a path that would then have an earlier rule is ambiguous.
   */
  find(method: string, segments: readonly string[]): RuleMatch {
    const verb = method === 'HEAD' ? 'GET' : method
    const first = this.rules.findIndex((rule) => isFor(rule, verb, segments))
    const rule = this.rules[first]
    if (rule === undefined) {
      const others = this.rules.filter((other) => isForPath(other, segments))
      return { rule, allowed: [...new Set(others.flatMap(({ methods = [] }) => [...methods]))] }
    }
    if (first > 0) {
      const folded = fold(segments)
      for (let index = 0; index < first; index += 1) {
        const earlier = this.#folded[index]
        if (earlier !== undefined && isFor(earlier, verb, folded)) return 'ambiguous'
      }
    }
    return { rule }
  }
}

/** The segments in lower case, without a slash at the end. */
function fold<Segment extends string | undefined>(segments: readonly Segment[]) {
  const whole = segments.at(-1) === '' ? segments.slice(0, -1) : segments
  return whole.map((segment) => segment?.toLowerCase())
}

const isFor = (rule: Rule, verb: string, segments: readonly (string | undefined)[]) =>
  (rule.methods === undefined || rule.methods.has(verb)) && isForPath(rule, segments)

function isForPath({ segments, isPrefix }: Rule, path: readonly (string | undefined)[]): boolean {
  if (isPrefix ? path.length < segments.length : path.length !== segments.length) return false
  return segments.every((segment, index) =>
    segment === undefined ? path[index] !== '' : segment === path[index],
  )
}
