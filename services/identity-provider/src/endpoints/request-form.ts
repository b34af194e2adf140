import {
  BodyCutError,
  BodyTooLargeError,
  boundaryOf,
  headerOf,
  readBody,
  readParts,
  repeatedHeader,
  type ServerEnv,
} from '@greeting/http-service'
import type { Context } from 'hono'
import { type Form, formOf, maxParameters, readForm } from '../dialect/request/form-body.ts'
import { type Refused, type RequestRefusal, refuse } from '../refusals/refusal.ts'

const maxBodyBytes = 64 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })
// The charset is ignored: URL encoding is ASCII, and other bytes are read as UTF-8.
const formType = /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i
// RFC 7578 section 4.3 deprecates parts with parts.
const nestedPart = /^content-type:[\t ]*multipart\//im
const credential = /^client_(?:secret|assertion)$/i
const singleHeaders: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host'])

/**
 * Reads the form in the body of a request: the only place for parameters, above all for credentials.
 *
 * @returns the form, or a refusal: `header_repeated`, `credential_in_query`, `body_not_form`,
 *   `body_too_large`, `body_incomplete`, `parameter_malformed`, `parameter_repeated` or
 *   `too_many_parameters`
 */
export async function readRequestForm(
  context: Context<ServerEnv>,
): Promise<Form | Refused<RequestRefusal>> {
  const { req } = context
  const header = repeatedHeader(context, singleHeaders)
  if (header !== undefined) return refuse({ reason: 'header_repeated', header })
  if (Object.keys(req.query()).some((name) => credential.test(name)))
    return refuse({ reason: 'credential_in_query' })
  const type = headerOf(context, 'content-type') ?? ''
  const boundary = boundaryOf(type)
  if (boundary === undefined && !formType.test(type)) return refuse({ reason: 'body_not_form' })
  try {
    const body = await readBody(req.raw, maxBodyBytes, (name) => headerOf(context, name))
    const text = utf8.decode(body)
    if (boundary === undefined) return readForm(text)
    if (nestedPart.test(text)) return refuse({ reason: 'parameter_malformed' })
    return formOf(await readParts(body, boundary, maxParameters))
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) return refuse({ reason: 'body_too_large' })
    if (cause instanceof BodyCutError) return refuse({ reason: 'body_incomplete' })
    // The decoder throws it for bytes that are not UTF-8.
    if (cause instanceof TypeError) return refuse({ reason: 'parameter_malformed' })
    throw cause
  }
}
