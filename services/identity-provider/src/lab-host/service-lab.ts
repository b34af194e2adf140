// Folder: The server, as its lab uses it.

import type { Fetch, ServerEnv } from '@greeting/http-service'
import {
  faultKinds,
  Lab,
  type LabFederation,
  type LabOptions,
  type LabRefusal,
} from '@greeting/lab'
import type { Hono } from 'hono'
import type { Authority } from '../dialect/authority.ts'
import { createCorrelationIds } from '../dialect/correlation-ids.ts'
import { errorAnswer } from '../dialect/refusals/error-envelope.ts'
import { type Runtime, systemRuntime } from '../directory/runtime.ts'
import type { Authenticate } from '../management/privileges/caller.ts'
import { createLabApp } from './lab-app.ts'
import { type LabParts, labHost } from './lab-host.ts'

/** The lab, as the service uses it. */
export type ServiceLab = {
  /** Receives the parts of the server, at the start and after each reset. */
  readonly connect: (parts: LabParts) => void
  /** Makes the handler of a listener, around the app. */
  readonly handlerOf: (app: Hono<ServerEnv>, authority: Authority) => Fetch
  /** Its operations for the portal, for the callers of another authentication. */
  readonly portalLab: (
    authority: Authority,
    authenticate: Authenticate,
  ) => { readonly operations: Hono; readonly faultKinds: typeof faultKinds }
  /** The issuer of the lab, which federated identity credentials may trust. */
  readonly federation: Pick<LabFederation, 'host' | 'through'>
}

/** A lab, the service with it, and the clock of both. */
export type OpenedLab = {
  readonly lab: Lab
  readonly service: ServiceLab
  readonly runtime: Runtime
}

/** Opens a lab for a server that is about to start. */
export function openLab(options: LabOptions = {}): OpenedLab {
  const lab = new Lab(options)
  const runtime = { ...systemRuntime, now: lab.clock.now }
  let connected: LabParts | undefined
  const operations = ({ issuerUrl }: Authority, authenticate?: Authenticate) => {
    if (connected === undefined) throw new TypeError('The server of the lab has not started')
    return createLabApp(lab, {
      parts: connected,
      issuerUrl,
      runtime,
      report: (err, ids) => options.log?.error({ err, ...ids }, 'lab request failed'),
      authenticate,
    })
  }
  const service: ServiceLab = {
    connect: (parts) => {
      connected = parts
      lab.connect(labHost(parts, runtime))
    },
    handlerOf: (app, authority) =>
      lab.handlerOf({
        app,
        operations: operations(authority),
        refuse: (refusal, request) => refusalOf(refusal, request, authority, runtime),
      }),
    portalLab: (authority, authenticate) => ({
      operations: operations(authority, authenticate),
      faultKinds,
    }),
    federation: lab.federation,
  }
  return { lab, service, runtime }
}

/** The answer of the token endpoint to a refused request. */
function refusalOf(
  refusal: LabRefusal,
  { headers }: Request,
  { authUrl }: Authority,
  { now, newGuid }: Runtime,
): Response {
  const given = [headers.get('client-request-id') ?? undefined]
  const ids = createCorrelationIds(given, now(), newGuid)
  const { status, body } = errorAnswer(refusal, ids, authUrl)
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
