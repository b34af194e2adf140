// Folder: The format of the registrations file, and its comparison with a directory: no network, no clock, no file system.

import type { z } from 'zod'
import { pathText, repeatedMembers, syntaxErrorLine } from './json-members.ts'
import { checkReferences } from './references.ts'
import { type RegistrationsFile, registrationsFile } from './registrations-file.ts'

/** A broken rule at one place of a registrations file. */
export type FileIssue = {
  /** The place, such as `apis[0].appRoles[1].value`. Empty for the whole file. */
  readonly path: string
  readonly message: string
}

/** An invalid registrations file, with all its issues. */
export class RegistrationsFileError extends Error {
  readonly code = 'registrations_file_invalid'
  override readonly name = 'RegistrationsFileError'
  readonly issues: readonly FileIssue[]

  constructor(issues: readonly FileIssue[], options: { cause?: unknown } = {}) {
    super(issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; '), options)
    this.issues = issues
  }
}

const checkedFile = registrationsFile.superRefine(checkReferences)

/**
 * Parses and validates a registrations file. Absent fields get their default values.
 *
 * @param file its bytes or its text
 * @throws {RegistrationsFileError} registrations_file_invalid when the file is not JSON in UTF-8,
 *   repeats a member, or breaks the schema
 * @example
 * const { apis } = parseRegistrations('{ "apis": [{ "displayName": "Orders", "appRoles": [] }] }')
 */
export function parseRegistrations(file: Uint8Array | string): RegistrationsFile {
  const result = checkedFile.safeParse(parseJson(registrationsText(file)))
  if (result.success) return result.data
  throw new RegistrationsFileError(result.error.issues.flatMap(issuesOf))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a registrations file, without its byte order mark (RFC 8259 section 8.1).
 *
 * @throws {RegistrationsFileError} registrations_file_invalid when it is not UTF-8
 */
export function registrationsText(file: Uint8Array | string): string {
  if (typeof file === 'string') return file.replace(/^\uFEFF/, '')
  // UTF-16 of ASCII characters is valid UTF-8 when it has no mark.
  const isUtf16 = file[1] === 0 || (file[0] ?? 0) >= 0xfe
  try {
    if (!isUtf16) return utf8.decode(file)
  } catch (cause) {
    throw new RegistrationsFileError([{ path: '', message: 'is not UTF-8' }], { cause })
  }
  throw new RegistrationsFileError([{ path: '', message: 'is UTF-16, not UTF-8' }])
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const line = syntaxErrorLine(text)
    const place = line === undefined ? '' : ` in line ${line}`
    const isJson = /^\s*([{[/]|$)/.test(text)
    const message = isJson ? `is not JSON${place}: ${reason}` : 'is not JSON; YAML is not read'
    throw new RegistrationsFileError([{ path: '', message }], { cause })
  }
  const repeated = repeatedMembers(text, maxRepeatedMembers)
  if (repeated.length > 0)
    throw new RegistrationsFileError(repeated.map(({ path }) => ({ path, message: 'is repeated' })))
  return value
}

// The error message contains each path, and a path can be long.
const maxRepeatedMembers = 20

/** Members of earlier files. */
const policyKeys = /^(?:policies|appManagementPolicy|tokenLifetimePolicy)$/

function issuesOf(issue: z.core.$ZodIssue): FileIssue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      message: policyKeys.test(key)
        ? 'is set over Microsoft Graph, as the page "Policies" of the documents shows'
        : 'is not a property of this format',
    }))
  return [{ path: pathText(issue.path), message: messageOf(issue) }]
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
