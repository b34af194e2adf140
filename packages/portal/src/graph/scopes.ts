import { servicePrincipal } from '@greeting/registrations/planning'
import type { AdministratorRequest } from './administrator-request.ts'
import type { Registered } from './application-view.ts'

/** The scopes that a client can request: those of the APIs of which it requests roles. */
export async function scopesOf(
  { graph }: AdministratorRequest,
  { application }: Registered,
): Promise<readonly string[]> {
  const found = await Promise.all(
    application.requiredResourceAccess.map(({ resourceAppId }) =>
      graph.list(
        `/servicePrincipals?$filter=${encodeURIComponent(`appId eq '${resourceAppId}'`)}`,
        servicePrincipal,
      ),
    ),
  )
  return found.flat().map((api) => `${apiName(api)}/.default`)
}

/** The name of an API in a scope: its first identifier URI, else its application ID. */
export const apiName = ({
  appId,
  servicePrincipalNames,
}: {
  readonly appId: string
  readonly servicePrincipalNames: readonly string[]
}): string => servicePrincipalNames.find((name) => name !== appId) ?? appId
