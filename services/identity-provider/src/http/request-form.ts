import type { Context } from 'hono'
import { BodyCutError, BodyTooLargeError, readBody } from '../body/bounded-body.ts'
import { refuseRequest } from '../dialect/refusals/request-refusal.ts'
import { type Form, readForm } from '../dialect/request/form-body.ts'
import { headerOf, repeatedHeader } from './request-header.ts'
import type { ServerEnv } from './server-env.ts'

const maxBodyBytes = 64 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })
// A charset is not looked at: the URL encoding is ASCII, and bytes beyond it are read as UTF-8.
const formType = /^application\/x-www-form-urlencoded[\t ]*(?:;|$)/i
const onceOnly: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host'])

/**
 * Reads the form in the body of a request: the only place for parameters, credentials above all.
 *
 * @throws {RefusedError} header_repeated, credential_in_query, body_not_form, body_too_large, body_incomplete,
 *   parameter_malformed, parameter_repeated, too_many_parameters
 */
export async function readRequestForm(context: Context<ServerEnv>): Promise<Form> {
  const { req } = context
  const header = repeatedHeader(context, onceOnly)
  if (header !== undefined) refuseRequest({ reason: 'header_repeated', header })
  for (const credential of ['client_secret', 'client_assertion'])
    if (req.query(credential) !== undefined) refuseRequest({ reason: 'credential_in_query' })
  if (!formType.test(headerOf(context, 'content-type') ?? ''))
    refuseRequest({ reason: 'body_not_form' })
  try {
    const body = await readBody(req.raw, maxBodyBytes, (name) => headerOf(context, name))
    return readForm(utf8.decode(body))
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) refuseRequest({ reason: 'body_too_large' }, { cause })
    if (cause instanceof BodyCutError) refuseRequest({ reason: 'body_incomplete' }, { cause })
    // The decoder says so of bytes that are not UTF-8.
    if (cause instanceof TypeError) refuseRequest({ reason: 'parameter_malformed' }, { cause })
    throw cause
  }
}
