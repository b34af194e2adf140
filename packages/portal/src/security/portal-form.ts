import {
  boundaryOf,
  headerOf,
  readBody,
  readPairs,
  readParts,
  type ServerEnv,
} from '@greeting/http-service'
import type { Context } from 'hono'

/** The fields of a form that was sent. */
export type Form = ReadonlyMap<string, string>

/** How the body of a form is encoded, and its limits. */
export type FormBody = {
  /** Default: 65,536. */
  readonly maxBodyBytes?: number
  /** Default: `application/x-www-form-urlencoded`. */
  readonly encoding?: 'multipart/form-data'
}

/** A body that is not the form of a page: the sentence tells why. */
export class PortalFormError extends Error {
  readonly code = 'portal_form_unreadable'
  override readonly name = 'PortalFormError'
  readonly status: 400 | 413 | 415

  constructor(status: 400 | 413 | 415, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const defaultMaxBodyBytes = 64 * 1024
const maxPairs = 2000
/** Each part costs more than a pair. A form with a file has a few fields. */
const maxParts = 20
const utf8 = new TextDecoder('utf-8', { fatal: true })
const urlEncoded = /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i

/**
 * Reads a form of the portal, in linear time. Of several fields with one name, the last counts.
 *
 * @throws {BodyTooLargeError} body_too_large beyond the limit.
 * @throws {BodyCutError} body_cut when the body ends early.
 * @throws {PortalFormError} portal_form_unreadable for another encoding, too many fields, or a damaged body.
 */
export async function readPortalForm(
  context: Context<ServerEnv>,
  { maxBodyBytes = defaultMaxBodyBytes, encoding }: FormBody = {},
): Promise<Form> {
  const type = headerOf(context, 'content-type') ?? ''
  const boundary = encoding === undefined ? undefined : boundaryOf(type)
  if (encoding === undefined ? !urlEncoded.test(type) : boundary === undefined)
    throw new PortalFormError(415, 'The form has a different encoding from its page.')
  const body = await readBody(context.req.raw, maxBodyBytes, (name) => headerOf(context, name))
  return boundary === undefined ? readUrlEncoded(body) : readMultipart(body, boundary)
}

function readUrlEncoded(body: Uint8Array): Form {
  try {
    const pairs = readPairs(utf8.decode(body), maxPairs)
    if (pairs === 'too_many_parameters') throw tooManyFields()
    if (pairs !== 'parameter_malformed') return new Map(pairs)
  } catch (cause) {
    // The decoder throws it for bytes that are not UTF-8.
    if (!(cause instanceof TypeError)) throw cause
  }
  throw new PortalFormError(400, 'The form is damaged.')
}

async function readMultipart(body: Uint8Array, boundary: string): Promise<Form> {
  const fields = await readParts(body, boundary, maxParts)
  if (fields === 'too_many_parameters') throw tooManyFields()
  if (fields === 'parameter_malformed') throw new PortalFormError(400, 'The form is damaged.')
  const form = new Map<string, string>()
  for (const [name, value] of fields)
    form.set(name, typeof value === 'string' ? value : await value.text())
  return form
}

const tooManyFields = () => new PortalFormError(413, 'The form has too many fields.')
