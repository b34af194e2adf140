import type { PortalHost } from '../host/portal-host.ts'
import type { FormTokens } from '../security/form-token.ts'
import type { PortalSession } from '../security/portal-session.ts'
import { InProcessGraph } from './in-process-graph.ts'

/** One request of an administrator who is signed in. */
export type AdministratorRequest = {
  readonly host: PortalHost
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

/** Prepares the APIs of an administrator for one request. */
export async function openRequest(
  host: PortalHost,
  formTokens: FormTokens,
  session: PortalSession,
): Promise<AdministratorRequest> {
  const graph = (root: string) => new InProcessGraph(host.call, session, root)
  return {
    host,
    session,
    ...(await host.namesOf(session)),
    now: host.now(),
    graph: graph('/v1.0'),
    management: graph('/management'),
    lab: host.lab && graph('/lab'),
    tokenOf: (action) => formTokens.tokenOf(session, action),
  }
}

/** A form that the portal itself refuses, before it calls an operation. */
export class ActionFault extends Error {
  readonly code = 'portal_form_invalid'
  override readonly name = 'ActionFault'
  readonly status = 400
}

export const actionFault = (sentence: string, options?: ErrorOptions): ActionFault =>
  new ActionFault(sentence, options)
