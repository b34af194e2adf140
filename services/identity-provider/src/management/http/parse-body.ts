import type { z } from 'zod'
import { type ValidationIssue, written } from '../../directory/validation-issue.ts'
import { GraphError } from './graph-error.ts'
import { type RefusalName, refusals } from './refusals.ts'

const rows: Record<
  ValidationIssue['code'],
  { readonly refusal: RefusalName; readonly detail: string }
> = {
  invalid_value: { refusal: 'body_invalid', detail: 'InvalidValue' },
  duplicate_value: { refusal: 'body_invalid', detail: 'DuplicateValue' },
  enabled_role: { refusal: 'enabled_role_changed', detail: 'EnabledEntitlement' },
  unverified_name: { refusal: 'identifier_uri_unverified', detail: 'HostNameNotOnVerifiedDomain' },
}

/** An answer must not grow with the number of faults that a body can have. */
const maxFaultsTold = 20
const maxNameLength = 100

/**
 * Refuses a body for its faults; up to 20 of them are told, and the first decides on the code.
 *
 * @param body What is quoted where a sentence names the value.
 */
export function requireNoIssues(faults: readonly ValidationIssue[], body: unknown): void {
  const [first] = faults
  if (first === undefined) return
  const { refusal } = rows[first.code]
  const told = faults.slice(0, maxFaultsTold)
  const sentences = new Set(told.map((fault) => sentenceOf(fault, body)))
  const untold = faults.length - told.length
  if (untold > 0) sentences.add(`Faults that are not told here: ${untold}.`)
  throw new GraphError(refusal, [...sentences].join(' '), {
    details: told.map(({ code, path, message }) => ({
      code: rows[code].detail,
      target: written(path),
      message,
    })),
  })
}

/**
 * What a schema makes of a body.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: sentenceOfIssue })
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(
    (issue): ValidationIssue => ({
      code: 'invalid_value',
      path: issue.path.filter((step) => typeof step !== 'symbol'),
      message: issue.message,
    }),
  )
  requireNoIssues(faults, body)
  throw new TypeError('A schema refused a body without an issue.')
}

function sentenceOf({ code, path, message }: ValidationIssue, body: unknown): string {
  const target = written(path)
  if (code === 'invalid_value' || code === 'duplicate_value')
    return target === ''
      ? `${capitalized(message)}.`
      : `Invalid value specified for property '${target}': it ${message}.`
  const sentence: (...values: string[]) => string = refusals[rows[code].refusal].sentence
  const value = valueAt(body, path)
  return sentence(typeof value === 'string' ? value : target)
}

// In the voice of the directory's own faults: "it must ...".
function sentenceOfIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys')
    return `must not have the property '${issue.keys[0]?.slice(0, maxNameLength)}', which is not supported here`
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'must be given'
    return `must be of the type ${issue.expected}`
  }
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  if (issue.code === 'too_big') return `must not be longer than ${issue.maximum}`
  if (issue.code === 'too_small') return `must not be shorter than ${issue.minimum}`
  return undefined
}

const valueAt = (body: unknown, path: ValidationIssue['path']): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined,
    body,
  )

const capitalized = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)
