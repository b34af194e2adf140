import {
  type Answer,
  cutInMidBody,
  json,
  noConnection,
  refusal,
  silence,
  text,
  type VirtualRuntime,
} from '../fakes/virtual-runtime.ts'

/**
 * The fault for ten minutes, and the server that has it. An answer of `undefined` means the usual
 * one.
 */
export type FaultRow = {
  readonly fault: string
  readonly identityProvider?: (environment: VirtualRuntime, request: number) => Answer | undefined
  readonly api?: (environment: VirtualRuntime, request: number) => Answer | undefined
  /** The secret that is valid from then on. */
  readonly secretFromThen?: string
  /** The clock change at the start of the fault. */
  readonly clockMovedMs?: number
}

const hourMs = 3_600_000
const html = text(200, '<html>Sign in to the network</html>')

/** The faults of a scheduled job, one row each. */
export const faultRows: readonly FaultRow[] = [
  { fault: 'none' },
  { fault: 'identity provider down', identityProvider: () => noConnection },
  {
    fault: 'identity provider silent',
    identityProvider: (environment) => silence(() => environment, 5_000),
  },
  {
    fault: 'identity provider flapping',
    identityProvider: (_world, request) => (request % 2 === 0 ? noConnection : undefined),
  },
  {
    fault: 'identity provider limits the rate (429, Retry-After: 30)',
    identityProvider: () => json(429, {}, { 'retry-after': '30' }),
  },
  { fault: 'identity provider answers 503', identityProvider: () => json(503, {}) },
  { fault: 'a page in place of the token', identityProvider: () => html },
  { fault: 'token response ends in the body', identityProvider: () => cutInMidBody('{"access_') },
  {
    fault: 'token request redirected',
    identityProvider: () => text(302, '', { location: 'https://other.example/' }),
  },
  { fault: 'secret refused', identityProvider: () => refusal('invalid_client', 7000222) },
  { fault: 'secret replaced, the next one configured', secretFromThen: 'next' },
  { fault: 'API down', api: () => noConnection },
  { fault: 'API silent', api: (environment) => silence(() => environment, 10_000) },
  { fault: 'API response ends in the body', api: () => cutInMidBody('H') },
  {
    fault: 'API answers 401 once',
    api: (_world, request) => (request === 0 ? text(401, '') : undefined),
  },
  { fault: 'API answers 401', api: () => text(401, '') },
  { fault: 'API answers 403', api: () => text(403, '') },
  {
    fault: 'API limits the rate (429, Retry-After: 5)',
    api: (_world, request) =>
      request % 2 === 0 ? text(429, '', { 'retry-after': '5' }) : undefined,
  },
  { fault: 'API answers 503', api: () => text(503, '') },
  { fault: 'clock set an hour ahead', clockMovedMs: hourMs },
  { fault: 'clock set an hour back', clockMovedMs: -hourMs },
]
