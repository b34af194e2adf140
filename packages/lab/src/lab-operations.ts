import { z } from 'zod'
import type { FaultSpec } from './faults/fault-spec.ts'
import type { Lab } from './lab.ts'
import type { FederatedTokenRequest } from './lab-federation.ts'
import type { MintRequest } from './lab-host.ts'

export const labPath = '/lab'

/** The answer of an operation, or the segment of its path that names nothing. */
type LabAnswer =
  | { readonly status: 200 | 201; readonly body: object }
  | { readonly status: 204 }
  | { readonly unknownSegment: string }

/** An operation of a lab. The server mounts it, reads its body and admits only its administrators. */
export type LabOperation = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** From the path of the lab. `{id}` matches one segment. */
  readonly path: string
  /** A sentence for the reference page. */
  readonly summary: string
  /** The schema of its body; undefined when it takes none, and `any` when the operation validates it itself. */
  readonly body: z.ZodType | 'any' | undefined
  /**
   * @throws {FaultSpecError} fault_invalid for a fault that is not valid
   * @throws {MintError} mint_invalid when the API or the client does not exist
   * @throws {RangeError} when a value is out of its range
   */
  readonly perform: (call: {
    readonly parameters: Readonly<Record<string, string>>
    readonly body: unknown
  }) => Promise<LabAnswer>
}

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

const ok = (body: object): LabAnswer => ({ status: 200, body })
const done: LabAnswer = { status: 204 }

/** The operations of a lab over HTTP: the controls of the kit, for every language. */
export const labOperations = (lab: Lab): readonly LabOperation[] => {
  const row = <Body = undefined>(
    method: LabOperation['method'],
    path: string,
    summary: string,
    perform: (call: {
      readonly parameters: Readonly<Record<string, string>>
      readonly body: Body
    }) => Promise<LabAnswer>,
    body?: z.ZodType<Body> | 'any',
  ): LabOperation => ({
    method,
    path,
    summary,
    body,
    perform: ({ parameters, body: given }) => perform({ parameters, body: given as Body }),
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
    row<unknown>(
      'POST',
      '/faults',
      'Arms a fault.',
      async ({ body }) => ({ status: 201, body: lab.faults.add(body as FaultSpec) }),
      'any',
    ),
    row('DELETE', '/faults', 'Removes all faults.', async () => {
      lab.faults.clear()
      return done
    }),
    row('DELETE', '/faults/{id}', 'Removes a fault.', async ({ parameters: { id = '' } }) => {
      return lab.faults.remove(id) ? done : { unknownSegment: `faults/${id.slice(0, 64)}` }
    }),
    row('GET', '/clock', 'Shows the clock.', async () => ok(clock())),
    row(
      'POST',
      '/clock',
      'Freezes, sets, advances or resets the clock.',
      async ({ body: { freeze, set, advanceSeconds, reset } }) => {
        if (reset) lab.clock.reset()
        if (freeze === false) lab.clock.resume()
        else if (freeze === true) lab.clock.freeze()
        else if (freeze !== undefined) lab.clock.freeze(new Date(freeze))
        if (set !== undefined) lab.clock.set(new Date(set))
        if (advanceSeconds !== undefined) lab.clock.advance({ seconds: advanceSeconds })
        return ok(clock())
      },
      clockBody,
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
      async ({ body }) => ok({ access_token: await lab.mint(body as MintRequest) }),
      tokenBody,
    ),
    row(
      'POST',
      '/forgeries',
      'Makes hostile tokens for an API, and a genuine one.',
      async ({ body }) => ok(await lab.forgeries(body)),
      forgeriesBody,
    ),
    row(
      'POST',
      '/federated-tokens',
      'Makes a token of the issuer of the lab, for a federated identity credential.',
      async ({ body }) => {
        const token = await lab.federation.token(body as FederatedTokenRequest)
        return ok({ issuer: lab.federation.issuer, token })
      },
      federatedBody,
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
