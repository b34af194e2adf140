import { application, servicePrincipal } from '@greeting/registrations/planning'
import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'

const dateTime = z.iso.datetime().transform((text) => new Date(text))

const credential = z.object({
  keyId: z.string(),
  displayName: z.string().nullish(),
  startDateTime: dateTime,
  endDateTime: dateTime,
  lastUsedDateTime: dateTime.nullish(),
})

const credentials = {
  passwordCredentials: z.array(credential.extend({ hint: z.string().nullish() })),
  keyCredentials: z.array(credential.extend({ customKeyIdentifier: z.string().nullish() })),
}

/** An application with the parts that the portal shows. */
export const applicationView = application.extend({
  signInAudience: z.string(),
  passwordAuthenticationAllowed: z.boolean().nullish(),
  ...credentials,
})

const principalView = servicePrincipal.extend(credentials)

export type ApplicationView = z.output<typeof applicationView>

/** An application with its service principal in the tenant, as far as it exists. */
export type Registered = {
  readonly application: ApplicationView
  readonly principal: z.output<typeof principalView> | undefined
}

/** The service principal of an application. */
export async function findPrincipal({ graph }: AdministratorRequest, appId: string) {
  const [found] = await graph.list(
    `/servicePrincipals?$filter=${encodeURIComponent(`appId eq '${appId}'`)}`,
    principalView,
  )
  return found
}

/**
 * Reads an application by its application ID.
 *
 * @throws {GraphRefusalError} graph_refusal when it does not exist, or is not readable.
 */
export async function readRegistered(
  visit: AdministratorRequest,
  appId: string,
): Promise<Registered> {
  const path = `/applications(appId='${encodeURIComponent(appId)}')`
  const [one, principal] = await Promise.all([
    visit.graph.get(path, applicationView),
    findPrincipal(visit, appId),
  ])
  return { application: one, principal }
}

/** Whether an application is an API: it has a name or declares roles. */
export const isApi = ({
  identifierUris,
  appRoles,
}: Pick<ApplicationView, 'identifierUris' | 'appRoles'>): boolean =>
  identifierUris.length > 0 || appRoles.length > 0
