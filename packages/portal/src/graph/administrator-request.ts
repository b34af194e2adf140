import {
  graphPath,
  serverManagementPath,
} from '@greeting/identity-provider/parts/management/operations/management-paths'
import type { ManagementCaller } from '@greeting/identity-provider/parts/management/privileges/caller'
import { graphRoles } from '@greeting/identity-provider/parts/management/privileges/graph-roles'
import { serverRoles } from '@greeting/identity-provider/parts/management/privileges/server-roles'
import { InProcessGraph } from './in-process-graph.ts'
import type { PortalOptions } from '../host/portal-host.ts'
import type { FormTokens } from '../security/form-token.ts'
import type { PortalSession } from '../security/portal-session.ts'

/** One request of an administrator who is signed in. */
export type Visit = {
  readonly options: PortalOptions
  readonly session: PortalSession
  readonly administratorName: string
  readonly tenantName: string
  readonly now: Date
  readonly graph: InProcessGraph
  readonly management: InProcessGraph
  /** The operations of the lab; undefined when it is off. */
  readonly lab: InProcessGraph | undefined
  /** The token of a form that is sent to this path. */
  readonly tokenOf: (action: string) => string
}

const labPath = '/lab'

/** Every management role. Each operation keeps those that the administrator has now. */
const roles = [...Object.keys(graphRoles), ...Object.keys(serverRoles)]

/** Prepares the APIs of an administrator for one request. */
export async function openVisit(
  options: PortalOptions,
  formTokens: FormTokens,
  session: PortalSession,
): Promise<Visit> {
  const { tenantId, applicationId } = session
  const { directory, source } = options.service
  const names = await directory.read((current) => ({
    administratorName: current.applicationByAppId(applicationId)?.displayName ?? '',
    tenantName: current.tenant(tenantId)?.displayName ?? '',
  }))
  const caller: ManagementCaller = { tenantId, applicationId, roles }
  return {
    options,
    session,
    ...names,
    now: source.now(),
    graph: new InProcessGraph(options.management, caller, graphPath),
    management: new InProcessGraph(options.management, caller, serverManagementPath),
    lab: options.lab && new InProcessGraph(options.lab.operations, caller, labPath),
    tokenOf: (action) => formTokens.tokenOf(session, action),
  }
}
