// Folder: Reads the body of an operation: its size, its JSON and its schema.

import { propertyPathText, type ValidationIssue } from '@greeting/directory'
import type { z } from 'zod'
import { GraphError, refuse } from '../refusals/graph-error.ts'
import { type RefusalName, refusals } from '../refusals/refusals.ts'

const rows: Record<
  ValidationIssue['code'],
  { readonly refusal: RefusalName; readonly detail: string }
> = {
  invalid_value: { refusal: 'body_invalid', detail: 'InvalidValue' },
  duplicate_value: { refusal: 'body_invalid', detail: 'DuplicateValue' },
  enabled_role: { refusal: 'enabled_role_changed', detail: 'EnabledEntitlement' },
}

/** The size of an answer must not depend on the number of issues in a body. */
const maxReportedIssues = 20
const maxNameLength = 100

/**
 * Parses a body with a schema, without its control information.
 *
 * @param embedded the name of members that are bodies of other requests, and keep theirs
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  embedded?: string,
): z.output<Schema> {
  const content = withoutControlInformation(body, embedded)
  const parse = () => schema.safeParse(content, { error: messageOf })
  const first = parse()
  const parsed = first.success || !convertTexts(content, first.error.issues) ? first : parse()
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(
    (issue): ValidationIssue => ({
      code: 'invalid_value',
      path: issue.path.filter((segment) => typeof segment !== 'symbol'),
      message: issue.message,
    }),
  )
  requireNoIssues(issues, body)
  throw new TypeError('A schema rejected a body without an issue')
}

const textForms: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false)$/i,
  number: /^\d{1,9}$/,
}

/** Converts texts to the booleans and numbers for which they stand (entra E377). Returns whether there was one. */
function convertTexts(content: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  const converted = issues.filter((issue) => {
    const holder = valueAt(content, issue.path.slice(0, -1))
    const name = issue.path.at(-1) ?? ''
    const text = valueAt(holder, [name])
    const type = issue.code === 'invalid_type' ? issue.expected : typeof Object(issue).values?.[0]
    if (typeof text !== 'string' || !textForms[type]?.test(text)) return false
    return Reflect.set(Object(holder), name, JSON.parse(text.toLowerCase()))
  })
  return converted.length > 0
}

/**
 * Refuses a body that has issues. At most 20 of them are reported. The first decides the error code.
 *
 * @param body the source of quoted values
 * @throws {GraphError} graph_refusal body_invalid, enabled_role_changed.
 */
export function requireNoIssues(issues: readonly ValidationIssue[], body: unknown): void {
  const [first] = issues
  if (first === undefined) return
  const reported = issues.slice(0, maxReportedIssues)
  const sentences = new Set(reported.map((issue) => sentenceOf(issue, body)))
  const omitted = issues.length - reported.length
  if (omitted > 0) sentences.add(`Issues that are not listed here: ${omitted}.`)
  throw new GraphError(rows[first.code].refusal, [...sentences].join(' '), {
    details: reported.map(({ code, path, message }) => ({
      code: rows[code].detail,
      target: propertyPathText(path),
      message,
    })),
  })
}

function sentenceOf({ code, path, message }: ValidationIssue, body: unknown): string {
  const target = propertyPathText(path)
  if (code === 'invalid_value' || code === 'duplicate_value') {
    return target === ''
      ? `${capitalized(message)}.`
      : `Invalid value specified for property '${target}': it ${message}.`
  }
  const sentence: (...values: string[]) => string = refusals[rows[code].refusal].sentence
  const value = valueAt(body, path)
  return sentence(typeof value === 'string' ? value : target)
}

// Messages continue "it ...", as those of the directory do.
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys')
    return `must not have the property '${issue.keys[0]?.slice(0, maxNameLength)}', which is not supported here`
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `must be of the type ${issue.expected}`
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  if (issue.code === 'too_big') return `must not be longer than ${issue.maximum}`
  if (issue.code === 'too_small') return `must not be shorter than ${issue.minimum}`
  return undefined
}

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined,
    body,
  )

const capitalized = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)

type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** The members of a parsed body that are not undefined, so that they can replace others. */
export const omitUndefined = <Values extends object>(values: Values): Defined<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<Values>

const references = /@odata\.(?:bind|id)$/

/**
 * A body without its control information. Every SDK sends some, such as `@odata.type`, and OData lets a service
 * ignore it. References by `@odata.bind` and `@odata.id` are no such information: they change an object.
 *
 * @param embedded the name of members that are bodies themselves, and stay as they are
 * @see OData JSON Format 4.01 section 4.6
 */
function withoutControlInformation(body: unknown, embedded?: string): unknown {
  if (Array.isArray(body)) return body.map((entry) => withoutControlInformation(entry, embedded))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !name.includes('@odata.') || references.test(name))
      .map(([name, value]) => [
        name,
        name === embedded ? value : withoutControlInformation(value, embedded),
      ]),
  )
}

const typeName = /^(?:[^#]*#)?(?:microsoft\.)?graph\.(\w+)$/i
const maxTypeLength = 100

/**
 * Requires that a body names only certain types, because an object of another type must not become one of these.
 *
 * @param types without namespace; the first is that of a body without a type
 * @returns the type of the body
 * @throws {GraphError} graph_refusal type_unsupported.
 * @see OData JSON Format 4.01 section 4.6.3
 */
export function requireType<Type extends string>(body: unknown, types: readonly [Type, ...Type[]]) {
  const { '@odata.type': named = null } = Object(body)
  if (named === null) return types[0]
  const text = String(named).slice(0, maxTypeLength)
  const name = typeName.exec(text)?.[1]?.toLowerCase()
  const type = types.find((one) => one.toLowerCase() === name)
  if (type === undefined) throw refuse('type_unsupported', text, types[0])
  return type
}
