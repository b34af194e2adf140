import { servicePrincipal } from '@greeting/registrations/planning'
import type { z } from 'zod'
import { isGuid } from '../../directory/guid.ts'
import { actionFault } from '../routes.ts'
import type { Visit } from '../visit.ts'

export type Principal = z.output<typeof servicePrincipal>

/**
 * Finds the service principal with an application ID, an identifier URI or a name.
 *
 * @throws {ActionFault} portal_form_invalid when none or several match.
 */
export async function findByName({ graph }: Visit, text: string): Promise<Principal> {
  const quoted = `'${text.replaceAll("'", "''")}'`
  const filter = isGuid(text)
    ? `appId eq ${quoted}`
    : text.includes('://')
      ? `servicePrincipalNames/any(x:x eq ${quoted})`
      : `displayName eq ${quoted}`
  const query = `/servicePrincipals?$filter=${encodeURIComponent(filter)}`
  const [first, second] = await graph.list(query, servicePrincipal)
  if (first === undefined) throw actionFault(`No application of the tenant matches “${text}”.`)
  if (second !== undefined) {
    throw actionFault(`Several applications match “${text}”. Use the application ID.`)
  }
  return first
}
