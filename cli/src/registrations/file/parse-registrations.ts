import type { z } from 'zod'
import { type RegistrationsFile, registrationsFile } from './registrations-file.ts'

/** What is wrong at one place of a registrations file. */
export type FileFault = {
  /** The place as people write it: `apis[0].appRoles[1].value`; empty for the file itself. */
  readonly path: string
  readonly message: string
}

/** A registrations file that cannot be applied; every fault is told. */
export class RegistrationsFileError extends Error {
  readonly code = 'REGISTRATIONS_FILE_INVALID'
  override readonly name = 'RegistrationsFileError'
  readonly faults: readonly FileFault[]

  constructor(faults: readonly FileFault[], options: { cause?: unknown } = {}) {
    super(faults.map(({ path, message }) => `${path} ${message}`.trim()).join('; '), options)
    this.faults = faults
  }
}

/**
 * Judges the text of a registrations file and fills in what it leaves out.
 *
 * @throws {RegistrationsFileError} REGISTRATIONS_FILE_INVALID when it is no JSON, or breaks the schema.
 * @example
 * const { apis } = parseRegistrations('{ "apis": [{ "displayName": "Orders", "appRoles": [] }] }')
 */
export function parseRegistrations(text: string): RegistrationsFile {
  const result = registrationsFile.safeParse(parseJson(text))
  if (result.success) return result.data
  throw new RegistrationsFileError(result.error.issues.flatMap(faultsOf))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new RegistrationsFileError([{ path: '', message: `is not JSON: ${reason}` }], { cause })
  }
}

function faultsOf(issue: z.core.$ZodIssue): FileFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: written([...issue.path, key]),
      message: 'is no property of this format',
    }))
  }
  return [{ path: written(issue.path), message: messageOf(issue) }]
}

type Issue = z.core.$ZodIssue
type Sentences = {
  readonly [Code in Issue['code']]?: (issue: Extract<Issue, { code: Code }>) => string
}

const sentences: Sentences = {
  invalid_type: ({ expected, message }) =>
    message.endsWith('received undefined') ? 'is missing' : `must be of type ${expected}`,
  invalid_format: ({ format, message }) => (format === 'guid' ? 'must be a GUID' : message),
  invalid_value: ({ values }) =>
    `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
  too_small: ({ origin, minimum }) => bound('at least', Number(minimum), origin),
  too_big: ({ origin, maximum }) => bound('at most', Number(maximum), origin),
}

function messageOf(issue: Issue): string {
  const sentence = sentences[issue.code] as ((issue: Issue) => string) | undefined
  return sentence?.(issue) ?? issue.message
}

const nouns: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function bound(words: string, limit: number, origin: string): string {
  const noun = nouns[origin]
  if (noun === undefined) return `must be ${words} ${limit}`
  return `must have ${words} ${limit} ${noun[limit === 1 ? 0 : 1]}`
}

const written = (path: readonly PropertyKey[]): string =>
  path
    .map((step, depth) =>
      typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
