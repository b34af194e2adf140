import { readDirectory } from '@greeting/registrations/apply'
import { type Explanation, explain, locate, locateResource } from '@greeting/registrations/planning'
import type { Visit } from '../visit.ts'

/** The explanations of one client for several APIs: the answers of `greeting registrations explain`. */
export async function explanationsOf(
  { graph, session, now }: Visit,
  clientId: string,
  apiIds: readonly string[],
): Promise<readonly (Explanation & { readonly apiId: string; readonly apiName: string })[]> {
  const state = await readDirectory(graph, session.tenantId, {
    displayNames: [],
    applicationIds: [clientId, ...apiIds],
    apis: [],
  })
  const client = locate(state, { displayName: clientId, applicationId: clientId })
  return apiIds.map((apiId) => {
    const api = locateResource(state, apiId)
    const names = [client, api].map(
      (one) =>
        one.application?.displayName ??
        one.servicePrincipal?.displayName ??
        'an unknown application',
    )
    const [name = '', apiName = ''] = names
    const explanation = explain(state, { ...client, name }, { ...api, name: apiName }, now)
    return { ...explanation, apiId, apiName }
  })
}
