// Folder: The server, as its lab uses it.

import { type Runtime, serverManagementAppId, systemRuntime } from '@greeting/directory'
import type { Fetch, ServerEnv } from '@greeting/http-service'
import {
  FaultSpecError,
  faultKinds,
  Lab,
  type LabFederation,
  type LabOperation,
  type LabOptions,
  type LabRefusal,
  labOperations,
  labPath,
  MintError,
} from '@greeting/lab'
import { Hono } from 'hono'
import type { Authority } from '../dialect/authority.ts'
import { createCorrelationIds } from '../dialect/correlation-ids.ts'
import { errorAnswer } from '../dialect/error-envelope.ts'
import { parseBody } from '../management/body/parse-body.ts'
import type { Answer, PerformOperation } from '../management/operations/operation.ts'
import { mountOperations } from '../management/operations/operation-path.ts'
import { createOperationsApp } from '../management/operations/operations-app.ts'
import { SkipTokens } from '../management/operations/skip-tokens.ts'
import { authenticateWithGuard } from '../management/privileges/authenticate-with-guard.ts'
import { serverManagementUri } from '../management/privileges/built-in-apis.ts'
import type { Authenticate } from '../management/privileges/caller.ts'
import { serverRoles } from '../management/privileges/server-roles.ts'
import { type RequestIds, refuse } from '../management/refusals/graph-error.ts'
import { type LabParts, labHost } from './server-host.ts'

/** The lab as the service uses it. */
export type LabControls = {
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
type OpenedLab = {
  readonly lab: Lab
  readonly service: LabControls
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
  const service: LabControls = {
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

/** Only an administrator of the server has both roles. */
const administrator = [['SigningKey.ReadWrite.All'], ['Tenant.ReadWrite.All']]

const operationOf = ({
  method,
  path,
  summary,
  body: schema,
  perform,
}: LabOperation): PerformOperation => ({
  method,
  path,
  summary,
  requires: administrator,
  action: 'lab',
  perform: async ({ parameters, body: given }): Promise<Answer> => {
    const body = schema === undefined || schema === 'any' ? given : parseBody(schema, given)
    const answer = await perform({ parameters, body }).catch((error) => {
      const isInvalid =
        error instanceof FaultSpecError || error instanceof MintError || error instanceof RangeError
      throw isInvalid ? refuse('body_invalid', error.message) : error
    })
    if ('unknownSegment' in answer) throw refuse('segment_unknown', answer.unknownSegment)
    return answer
  },
  ...(schema !== undefined && { takesBody: true }),
})

type LabAppOptions = {
  readonly parts: Pick<LabParts, 'directory' | 'keys'>
  readonly issuerUrl: string
  readonly runtime: Runtime
  readonly report: (error: unknown, ids: RequestIds) => void
  /** Replaces the guard, for calls that do not come from the network. Default: the guard. */
  readonly authenticate?: Authenticate | undefined
}

/** Creates the app of a lab, for an administrator of the server only. */
function createLabApp(
  lab: Lab,
  { parts, issuerUrl, runtime, report, authenticate }: LabAppOptions,
): Hono {
  const guarded = () =>
    authenticateWithGuard(
      {
        issuerUrls: [issuerUrl],
        audiences: [serverManagementUri, serverManagementAppId],
        roles: Object.keys(serverRoles),
        publishedKeys: () => parts.keys.published(),
        testKeys: 'accepted',
        wallClockMs: lab.clock.wallClockMs,
      },
      parts.directory,
    )
  const app = createOperationsApp(labOperations(lab).map(operationOf), {
    authenticate: authenticate ?? guarded(),
    apiAppId: serverManagementAppId,
    store: parts.directory,
    credentialUses: { record: async () => {}, lastUses: async () => new Map() },
    skipTokens: new SkipTokens(),
    runtime,
    mountPath: labPath,
    rootUrl: labPath,
    retentionDays: 30,
    visibilityDelaySeconds: 0,
    recordRefusal: () => {},
    report,
  })
  return mountOperations(new Hono(), labPath, app)
}
