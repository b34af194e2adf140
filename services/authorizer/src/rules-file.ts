import { lineOf, pathText, repeatedMembers } from '@greeting/registrations/json-members'
import { evaluate, parse } from '@humanwhocodes/momoa'
import { z } from 'zod'
import { pathSegments } from './path-segments.ts'

/** A rules file with faults. Each fault begins with its line. */
export class RulesFileError extends Error {
  readonly code = 'rules_file_invalid'
  override readonly name = 'RulesFileError'
  readonly faults: readonly string[]

  constructor(path: string, faults: readonly string[], options?: ErrorOptions) {
    super(`${path} is no valid file of rules: ${faults.join('; ')}`, options)
    this.faults = faults
  }
}

const maxCharacters = 1_048_576
const maxRules = 1000
const maxFaults = 20

/** A parameter stands for a segment, so a template without its braces is a path. */
const parameter = /^\{[A-Za-z]\w*\}$/

function patternSegments(pattern: string): Rule['segments'] | undefined {
  const names = pattern.split('/')
  const plain = names.map((name) => (parameter.test(name) ? 'x' : name)).join('/')
  const decoded = plain.includes('?') ? undefined : pathSegments(plain)
  return decoded?.map((segment, index) =>
    parameter.test(names[index + 1] ?? '') ? undefined : segment,
  )
}

const pathError = 'must be a path such as /orders/{id}, as a client sends it, without a query'
const path = z.string(pathError).refine((text) => patternSegments(text) !== undefined, pathError)
const prefix = path.refine(
  (text) => text === '/' || !text.endsWith('/'),
  'must not end with a slash: /orders is for /orders and for all paths below it',
)
const methodError = 'must be methods in upper case, such as GET. GET includes HEAD'
const method = z.string(methodError).regex(/^(?!HEAD$)[A-Z][A-Z-]{0,31}$/, methodError)
const role = z
  .string()
  .regex(
    /^[\x21-\x2b\x2d-\x7e]{1,120}$/,
    'must be a role: 1 to 120 visible characters of ASCII, without a comma',
  )
const isTrue = z.literal(true, 'must be true, or absent')

const rule = z
  .strictObject({
    path: path.optional(),
    prefix: prefix.optional(),
    methods: z.array(method, methodError).min(1, methodError).optional(),
    role: role.optional(),
    anyCaller: isTrue.optional(),
    public: isTrue.optional(),
  })
  .refine(
    (one) => (one.path === undefined) !== (one.prefix === undefined),
    'must have either path or prefix',
  )
  .refine(
    (one) =>
      [one.role, one.anyCaller, one.public].filter((value) => value !== undefined).length === 1,
    'must have one of role, anyCaller and public',
  )

const fieldError =
  'must be a name that begins with X- and has letters, digits and dashes only, at most 64'
const field = z.string(fieldError).regex(/^x-[a-z\d-]{1,62}$/i, fieldError)

const callerHeaders = z
  .strictObject({
    applicationId: field.default('X-Caller-Application-Id'),
    tenantId: field.default('X-Caller-Tenant-Id'),
    objectId: field.default('X-Caller-Object-Id'),
    roles: field.default('X-Caller-Roles'),
  })
  .refine(
    (names) => new Set(Object.values(names).map((name) => name.toLowerCase())).size === 4,
    'must name four different headers',
  )

const rulesFile = z.strictObject({
  headers: callerHeaders.prefault({}),
  rules: z.array(rule).max(maxRules, `must have at most ${maxRules} rules`).default([]),
})

/** The names of the headers that carry the caller. */
export type CallerHeaders = z.output<typeof callerHeaders>

/** A valid rules file. */
export type Rules = {
  readonly text: string
  readonly set: RuleSet
  readonly headers: CallerHeaders
  /** Every role of a rule, once. */
  readonly roles: readonly string[]
}

/**
 * Parses a file of rules: JSON with comments. An empty one has no rules, so every request is refused.
 *
 * @param name the file in messages
 * @param text at most 1,048,576 characters
 * @throws {RulesFileError} rules_file_invalid with at most 20 faults
 */
export function parseRules(name: string, text: string): Rules {
  // UTF-16 that was read as UTF-8: its mark is replaced, and ASCII has NULs.
  if (/^\ufffd\ufffd|^.\0/s.test(text)) throw new RulesFileError(name, ['it is UTF-16, not UTF-8'])
  if (text.length > maxCharacters) throw new RulesFileError(name, ['it has more than 1 MiB'])
  const { headers, rules } = validate(name, text.replace(/^\uFEFF/, ''))
  return {
    text,
    set: ruleSet(rules.map(toRule)),
    headers,
    roles: [...new Set(rules.flatMap((one) => one.role ?? []))],
  }
}

function validate(name: string, text: string): z.output<typeof rulesFile> {
  if (text.trim() === '') return rulesFile.parse({})
  const value = parseJson(name, text)
  const faultAt = (place: readonly PropertyKey[], message: string) => {
    const path = pathText(place)
    return `line ${lineOf(text, path) ?? 1}: ${path || 'the file'} ${message}`
  }
  // Parsers keep the first or the last of repeated members, so a reader could see another rule.
  const repeated = repeatedMembers(text, maxFaults)
  if (repeated.length > 0)
    throw new RulesFileError(
      name,
      repeated.map(({ path, line }) => `line ${line}: ${path} is repeated`),
    )
  const result = rulesFile.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => faultAt([...issue.path, key], 'is unknown'))
      : [faultAt(issue.path, issue.message)],
  )
  throw new RulesFileError(name, faults.slice(0, maxFaults))
}

function parseJson(name: string, text: string): unknown {
  try {
    return evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const line = cause instanceof Error && 'line' in cause ? `line ${cause.line}: ` : ''
    throw new RulesFileError(name, [`${line}${reason.replace(/\.$/, '')}`], { cause })
  }
}

function toRule({ path: exact, prefix: below, methods, ...required }: z.output<typeof rule>): Rule {
  const pattern = exact ?? below ?? ''
  return {
    methods: methods && new Set(methods),
    segments: below === '/' ? [] : (patternSegments(pattern) ?? []),
    isPrefix: below !== undefined,
    requires:
      required.role !== undefined
        ? { role: required.role }
        : required.anyCaller === true
          ? 'any_caller'
          : 'nothing',
  }
}

type Rule = {
  /** Undefined for every method. `GET` includes `HEAD`. */
  readonly methods: ReadonlySet<string> | undefined
  /** The decoded segments of the path. Undefined stands for any one segment. */
  readonly segments: readonly (string | undefined)[]
  /** Whether the rule is also for every path below. */
  readonly isPrefix: boolean
  readonly requires: { readonly role: string } | 'any_caller' | 'nothing'
}

/** The first rule of a request; or the reason why there is none. */
type RuleMatch =
  | { readonly rule: Rule }
  /** `allowed` has the methods of rules for this path; it is empty when there are none. */
  | { readonly rule: undefined; readonly allowed: readonly string[] }
  | 'ambiguous'

type RuleSet = ReturnType<typeof ruleSet>

/** Rules in the order of the file. */
function ruleSet(rules: readonly Rule[]) {
  const folded = rules.map((rule) => ({ ...rule, segments: fold(rule.segments) }))
  /**
   * Finds the first rule for a method and the segments of a path. Case and a slash at the end are
   * significant. A server may ignore them, so a path that would then have an earlier rule is ambiguous.
   */
  const find = (method: string, segments: readonly string[]): RuleMatch => {
    const verb = method === 'HEAD' ? 'GET' : method
    const first = rules.findIndex((rule) => isFor(rule, verb, segments))
    const rule = rules[first]
    if (rule === undefined) {
      const others = rules.filter((other) => isForPath(other, segments))
      return { rule, allowed: [...new Set(others.flatMap(({ methods = [] }) => [...methods]))] }
    }
    if (first === 0) return { rule }
    const foldedSegments = fold(segments)
    const firstFolded = folded.findIndex((one) => isFor(one, verb, foldedSegments))
    return firstFolded !== -1 && firstFolded < first ? 'ambiguous' : { rule }
  }
  return { rules, find }
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
