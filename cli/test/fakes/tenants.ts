import { roleMissing } from '../../../test/fixtures/graph/graph-tenant.ts'
import { ServedGraph } from '../commands/registrations/served-graph.ts'
import { allTests } from './servers.ts'

/** The tenant behind the fake identity provider of each data folder. */
const tenants = new Map<string, Promise<ServedGraph>>()

/** The settings of the fake services, with the tenant of a data folder behind the identity provider. */
export async function fakesIn(dataDir: string, fault = '') {
  const starting = tenants.get(dataDir) ?? ServedGraph.start(allTests)
  tenants.set(dataDir, starting)
  const { environment, tenant } = await starting
  if (fault === 'consent')
    tenant.faults.push({ line: /^POST .*appRoleAssign/, times: 2, ...roleMissing })
  const ADMINISTRATOR = JSON.stringify(tenant.administrator)
  return { STAND_IN_FAULT: fault, UPSTREAM: environment.AUTH_URL, ADMINISTRATOR }
}
