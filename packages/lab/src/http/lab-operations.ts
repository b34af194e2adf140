import type { Authority } from '@greeting/identity-provider/parts/dialect/authority'
import { serverManagementAppId } from '@greeting/identity-provider/parts/directory/privileged-api-ids'
import type { Runtime } from '@greeting/identity-provider/parts/directory/runtime'
import { parseBody } from '@greeting/identity-provider/parts/management/body/parse-body'
import type {
  Answer,
  Operation,
  PerformOperation,
} from '@greeting/identity-provider/parts/management/operations/operation'
import { mountOperations } from '@greeting/identity-provider/parts/management/operations/operation-path'
import { createOperationsApp } from '@greeting/identity-provider/parts/management/operations/operations-app'
import { SkipTokens } from '@greeting/identity-provider/parts/management/operations/skip-tokens'
import { authenticateWithGuard } from '@greeting/identity-provider/parts/management/privileges/authenticate-with-guard'
import { serverManagementUri } from '@greeting/identity-provider/parts/management/privileges/built-in-apis'
import type { Authenticate } from '@greeting/identity-provider/parts/management/privileges/caller'
import { serverRoles } from '@greeting/identity-provider/parts/management/privileges/server-roles'
import {
  type RequestIds,
  refuse,
} from '@greeting/identity-provider/parts/management/refusals/graph-error'
import type { LabParts } from '@greeting/identity-provider/parts/startup/environment'
import { Hono } from 'hono'
import { z } from 'zod'
import { type FaultSpec, FaultSpecError } from '../faults/fault-spec.ts'
import { MintError, type MintRequest } from '../forge/forge.ts'
import type { FederatedTokenRequest } from '../lab-federation.ts'
import type { LabPowers } from '../lab-powers.ts'

/** The path of the lab. */
export const labPath = '/lab'

/** Only an administrator of the server has both roles. */
const administrator = [['SigningKey.ReadWrite.All'], ['Tenant.ReadWrite.All']]

const duration = z.int().min(-3_155_760_000).max(3_155_760_000)
const clockBody = z.strictObject({
  freeze: z.union([z.boolean(), z.iso.datetime()]).optional(),
  set: z.iso.datetime().optional(),
  advanceSeconds: duration.optional(),
  reset: z.literal(true).optional(),
})
const tokenBody = z.strictObject({
  api: z.string().max(64),
  client: z.string().max(64).optional(),
  roles: z.array(z.string().max(120)).max(100).optional(),
  claims: z.record(z.string().max(64), z.unknown()).optional(),
  header: z.record(z.string().max(64), z.unknown()).optional(),
  key: z.enum(['published', 'unpublished']).optional(),
})
const federatedBody = z.strictObject({
  subject: z.string().max(600),
  audience: z.string().max(600).optional(),
  claims: z.record(z.string().max(64), z.unknown()).optional(),
})
const forgeriesBody = z.strictObject({ api: z.string().max(64) })

const ok = (body: object): Answer => ({ status: 200, body })
const done: Answer = { status: 204 }

/** The operations of a lab over HTTP: the powers of the kit, for every language. */
export const labOperations = (lab: LabPowers): readonly Operation[] => {
  const row = (
    method: PerformOperation['method'],
    path: string,
    summary: string,
    perform: PerformOperation['perform'],
    takesBody?: true,
  ): PerformOperation => ({
    method,
    path,
    summary,
    requires: administrator,
    action: 'lab',
    perform: (call) => withRefusals(() => perform(call)),
    ...(takesBody && { takesBody }),
  })
  const clock = () => {
    const { now, isFrozen, offsetMs } = lab.clock.state
    return { now: now.toISOString(), isFrozen, offsetMs }
  }
  return [
    row(
      'GET',
      '/faults',
      'Lists the faults, with the number of requests that each has met.',
      async () => ok({ value: lab.faults.list() }),
    ),
    row(
      'POST',
      '/faults',
      'Arms a fault.',
      async ({ body }) => ({ status: 201, body: lab.faults.add(body as FaultSpec) }),
      true,
    ),
    row('DELETE', '/faults', 'Removes all faults.', async () => {
      lab.faults.clear()
      return done
    }),
    row('DELETE', '/faults/{id}', 'Removes a fault.', async ({ parameters: { id = '' } }) => {
      if (!lab.faults.remove(id)) throw refuse('segment_unknown', `faults/${id.slice(0, 64)}`)
      return done
    }),
    row('GET', '/clock', 'Shows the clock.', async () => ok(clock())),
    row(
      'POST',
      '/clock',
      'Freezes, sets, advances or resets the clock.',
      async ({ body }) => {
        const { freeze, set, advanceSeconds, reset } = parseBody(clockBody, body)
        if (reset) lab.clock.reset()
        if (freeze === false) lab.clock.resume()
        else if (freeze === true) lab.clock.freeze()
        else if (freeze !== undefined) lab.clock.freeze(new Date(freeze))
        if (set !== undefined) lab.clock.set(new Date(set))
        if (advanceSeconds !== undefined) lab.clock.advance({ seconds: advanceSeconds })
        return ok(clock())
      },
      true,
    ),
    row('GET', '/requests', 'Lists the latest 1000 requests, without secrets.', async () =>
      ok({ value: lab.requests.all() }),
    ),
    row('DELETE', '/requests', 'Forgets the requests.', async () => {
      lab.requests.clear()
      return done
    }),
    row('GET', '/misuses', 'Lists what clients did wrong, by the recorded requests.', async () =>
      ok({ value: lab.judge() }),
    ),
    row(
      'POST',
      '/tokens',
      'Makes a token with any claims and header.',
      async ({ body }) => {
        const request = parseBody(tokenBody, body)
        return ok({ access_token: await lab.mint(request as MintRequest) })
      },
      true,
    ),
    row(
      'POST',
      '/forgeries',
      'Makes hostile tokens for an API, and a genuine one.',
      async ({ body }) => ok(await lab.forgeries(parseBody(forgeriesBody, body))),
      true,
    ),
    row(
      'POST',
      '/federated-tokens',
      'Makes a token of the issuer of the lab, for a federated identity credential.',
      async ({ body }) => {
        const request = parseBody(federatedBody, body) as FederatedTokenRequest
        return ok({ issuer: lab.federation.issuer, token: await lab.federation.token(request) })
      },
      true,
    ),
    row(
      'POST',
      '/clients/{id}/expire-secrets',
      'Ends all secrets of a client now.',
      async ({ parameters: { id = '' } }) => {
        await lab.expireSecrets(id)
        return done
      },
    ),
    row('POST', '/keys/rotate', 'Lets the announced key sign at once.', async () =>
      ok({ kid: await lab.keys.rotate() }),
    ),
    row(
      'POST',
      '/reset',
      'Removes the faults and the requests, and resets the clock. The directory stays.',
      async () => {
        lab.reset()
        return done
      },
    ),
  ]
}

async function withRefusals(perform: () => Promise<Answer>): Promise<Answer> {
  try {
    return await perform()
  } catch (error) {
    const isInvalid =
      error instanceof FaultSpecError || error instanceof MintError || error instanceof RangeError
    if (isInvalid) throw refuse('body_invalid', error.message)
    throw error
  }
}

/** What the app of a lab needs. */
export type LabAppOptions = {
  readonly parts: LabParts
  readonly authority: Authority
  readonly runtime: Runtime
  readonly report: (error: unknown, ids: RequestIds) => void
  /** Replaces the guard, for calls that do not come from the network. Default: the guard. */
  readonly authenticate?: Authenticate
}

/** Creates the app of a lab, for an administrator of the server only. */
export function createLabApp(
  lab: LabPowers,
  { parts, authority, runtime, report, authenticate }: LabAppOptions,
): Hono {
  const guarded = () =>
    authenticateWithGuard(
      {
        issuerUrls: [authority.issuerUrl],
        audiences: [serverManagementUri, serverManagementAppId],
        roles: Object.keys(serverRoles),
        publishedKeys: () => parts.keys.published(),
        testKeys: 'accepted',
        wallClockMs: lab.clock.wallClockMs,
      },
      parts.directory,
    )
  const app = createOperationsApp(labOperations(lab), {
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
