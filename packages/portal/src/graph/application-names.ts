import { GraphRefusalError } from '@greeting/registrations/apply'
import { servicePrincipal } from '@greeting/registrations/planning'
import { z } from 'zod'
import type { AdministratorRequest } from './administrator-request.ts'

/**
 * The names of applications, by application ID. An ID has no name when no service principal has it, or
 * when the administrator may not read it.
 */
export async function applicationNames(
  { graph }: AdministratorRequest,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(appIds)].filter((id) => z.guid().safeParse(id).success)
  const found = await Promise.all(
    ids.map(async (id): Promise<[string, string][]> => {
      const filter = encodeURIComponent(`appId eq '${id}'`)
      try {
        const [one] = await graph.list(`/servicePrincipals?$filter=${filter}`, servicePrincipal)
        return one ? [[id, one.displayName]] : []
      } catch (cause) {
        if (cause instanceof GraphRefusalError && cause.status === 403) return []
        throw cause
      }
    }),
  )
  return new Map(found.flat())
}
