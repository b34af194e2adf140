import {
  type FoundApplication,
  findApplications,
  similarApplications,
} from '@greeting/registrations/apply'
import { servicePrincipal } from '@greeting/registrations/planning'
import type { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'
import { ActionFault, actionFault } from './administrator-request.ts'

export type Principal = z.output<typeof servicePrincipal>

/** A text that names no application, or several. */
export class UnclearName extends ActionFault {
  readonly text: string
  /** The applications of that name, or those of a similar one. */
  readonly candidates: readonly FoundApplication[]

  constructor(text: string, sentence: string, candidates: readonly FoundApplication[]) {
    super(sentence)
    this.text = text
    this.candidates = candidates
  }
}

/**
 * Finds the application ID for a name, an ID or an identifier URI, as `greeting registrations explain`.
 *
 * @throws {UnclearName} portal_form_invalid when none or several match.
 */
export async function findId({ graph }: AdministratorRequest, text: string): Promise<string> {
  const found = await findApplications(graph, text)
  const [first] = found
  if (first === undefined) {
    const similar = await similarApplications(graph, text)
    const names = similar.map(({ displayName }) => `“${displayName}”`).join(', ')
    const suggestion = similar.length === 0 ? '' : ` Did you mean ${names}?`
    const sentence = `No application of the tenant matches “${text}”.${suggestion}`
    throw new UnclearName(text, sentence, similar)
  }
  if (found.length > 1) {
    const sentence = `${found.length} applications match “${text}”. Use the application ID.`
    throw new UnclearName(text, sentence, found)
  }
  return first.applicationId
}

/** The service principal of an application, if it has one in this tenant. */
export async function principalOf(
  { graph }: AdministratorRequest,
  appId: string,
): Promise<Principal | undefined> {
  const filter = encodeURIComponent(`appId eq '${appId}'`)
  const [principal] = await graph.list(`/servicePrincipals?$filter=${filter}`, servicePrincipal)
  return principal
}

/**
 * Finds the service principal for a name, an ID or an identifier URI.
 *
 * @throws {ActionFault} portal_form_invalid when none or several match, or it has none.
 */
export async function findPrincipal(visit: AdministratorRequest, text: string): Promise<Principal> {
  const principal = await principalOf(visit, await findId(visit, text))
  if (principal === undefined)
    throw actionFault(`The application “${text}” has no service principal in this tenant.`)
  return principal
}
