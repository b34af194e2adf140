import {
  FaultSpecError,
  type Lab,
  type LabOperation,
  labOperations,
  labPath,
  MintError,
} from '@greeting/lab'
import { Hono } from 'hono'
import { serverManagementAppId } from '../directory/privileged-api-ids.ts'
import type { Runtime } from '../directory/runtime.ts'
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
import type { LabParts } from './lab-host.ts'

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

/** What the app of a lab needs. */
export type LabAppOptions = {
  readonly parts: Pick<LabParts, 'directory' | 'keys'>
  readonly issuerUrl: string
  readonly runtime: Runtime
  readonly report: (error: unknown, ids: RequestIds) => void
  /** Replaces the guard, for calls that do not come from the network. Default: the guard. */
  readonly authenticate?: Authenticate | undefined
}

/** Creates the app of a lab, for an administrator of the server only. */
export function createLabApp(
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
