import { readExplained } from '@greeting/registrations/apply'
import { type Explanation, explain, locateById } from '@greeting/registrations/planning'
import type { AdministratorRequest } from './administrator-request.ts'

/** The explanations of one client for several APIs: the answers of `greeting registrations explain`. */
export async function explanationsOf(
  { graph, session, now }: AdministratorRequest,
  clientId: string,
  apiIds: readonly string[],
): Promise<readonly (Explanation & { readonly apiId: string; readonly apiName: string })[]> {
  const state = await readExplained(graph, session.tenantId, { clientId, apiIds, now })
  const client = locateById(state, clientId)
  return apiIds.map((apiId) => {
    const api = locateById(state, apiId)
    return { ...explain(state, client, api, now), apiId, apiName: api.name }
  })
}
