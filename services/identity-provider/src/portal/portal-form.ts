import type { Context } from 'hono'
import { readBody } from '../body/bounded-body.ts'
import { headerOf, type ServerEnv } from '../http/request-header.ts'
import type { Form } from './layout/form.ts'

export const defaultMaxBodyBytes = 64 * 1024
const maxFields = 2000

/**
 * Reads a form of the portal: URL-encoded, or `multipart/form-data` with one file.
 *
 * @throws {BodyTooLargeError} body_too_large beyond the limit.
 * @throws {BodyCutError} body_cut when the body ends early.
 */
export async function readPortalForm(
  context: Context<ServerEnv>,
  maxBytes = defaultMaxBodyBytes,
): Promise<Form> {
  const body = await readBody(context.req.raw, maxBytes, (name) => headerOf(context, name))
  const type = headerOf(context, 'content-type') ?? ''
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
  const form = new Map<string, string>()
  for (const [name, value] of await response.formData().catch(() => [])) {
    if (form.size === maxFields) break
    form.set(name, typeof value === 'string' ? value : await value.text())
  }
  return form
}
