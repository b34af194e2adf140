import { createRemoteJWKSet, jwtVerify } from 'jose'
import { accessToken, type Fixture } from './fixture.ts'

const answerTimeoutMs = 30_000
const oneHourAgo = () => Math.floor(Date.now() / 1000) - 3600

function tampered(token: string): string {
  const at = token.lastIndexOf('.') + 100
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

/** Tokens that a guarded route must refuse. */
const refused: Readonly<Record<string, (fixture: Fixture) => Promise<string | undefined>>> = {
  'no token': async () => undefined,
  'a token with a changed signature': async (fixture) => tampered(await accessToken(fixture)),
  'a token with an unknown key': (fixture) => accessToken(fixture, {}, fixture.forger),
  'an expired token': (fixture) => accessToken(fixture, { exp: oneHourAgo() }),
  'a token for another audience': (fixture) => accessToken(fixture, { aud: 'api://another' }),
  'a token of another issuer': (fixture) =>
    accessToken(fixture, { iss: 'https://another.example/' }),
  'a token without the role': (fixture) => accessToken(fixture, { roles: ['CallHelloApiRole'] }),
}

/**
 * Checks that a route accepts the valid token and refuses every other token; returns the failures.
 *
 * @param body the answer to the valid token
 */
export async function proveGuarded(url: string, fixture: Fixture, body = 'Hi'): Promise<string[]> {
  const failures: string[] = []
  const valid = await answerTo(url, await accessToken(fixture))
  if (valid.status !== 200 || valid.body !== body)
    failures.push(`a valid token got ${valid.status}`)
  for (const [name, tokenOf] of Object.entries(refused)) {
    const { status } = await answerTo(url, await tokenOf(fixture))
    if (status < 400 || status > 403) failures.push(`${name} got ${status}`)
  }
  return failures
}

/** Checks that a route responds without a token; returns the failures. */
export async function proveOpen(url: string): Promise<string[]> {
  const { status } = await answerTo(url, undefined)
  return status === 200 ? [] : [`the open route answered ${status}`]
}

async function answerTo(url: string, token: string | undefined) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(answerTimeoutMs) })
  return { status: response.status, body: await response.text() }
}

/** A started authorization server: its URLs and a valid request. */
export type Issuer = {
  readonly tokenEndpoint: string
  readonly keySetUrl: string
  readonly form: Readonly<Record<string, string>>
}

export type IssuanceFailure =
  | 'the right secret is refused'
  | 'a wrong secret is accepted'
  | 'the same token is issued twice'
  | 'a token is not RS256 under a published key of 2048 bits'

/** `openssl speed rsa2048` is the reference, so every row signs with a key of this size. */
const modulusBits = 2048

/**
 * Checks that an authorization server signs each token separately with a published key of the right
 * size, and refuses a wrong secret. Returns the failures.
 */
export async function proveIssuance(issuer: Issuer): Promise<IssuanceFailure[]> {
  const first = await requestToken(issuer, issuer.form)
  const second = await requestToken(issuer, issuer.form)
  if (first.token === undefined) return ['the right secret is refused']
  const failures: IssuanceFailure[] = []
  if (!(await isSignedByPublishedKey(first.token, issuer.keySetUrl)))
    failures.push('a token is not RS256 under a published key of 2048 bits')
  if (first.token === second.token) failures.push('the same token is issued twice')
  const wrong = await requestToken(issuer, { ...issuer.form, client_secret: 'wrong' })
  if (wrong.status !== 400 && wrong.status !== 401) failures.push('a wrong secret is accepted')
  return failures
}

async function requestToken({ tokenEndpoint }: Issuer, form: Issuer['form']) {
  const body = new URLSearchParams(form)
  const signal = AbortSignal.timeout(answerTimeoutMs)
  const response = await fetch(tokenEndpoint, { method: 'POST', body, signal })
  const answer: { access_token?: string } = await response.json()
  return { status: response.status, token: answer.access_token }
}

const isSignedByPublishedKey = (token: string, keySetUrl: string): Promise<boolean> =>
  jwtVerify(token, createRemoteJWKSet(new URL(keySetUrl)), { algorithms: ['RS256'] }).then(
    ({ key }) => key.algorithm !== undefined && modulusOf(key.algorithm) === modulusBits,
    () => false,
  )

const modulusOf = (algorithm: KeyAlgorithm) =>
  'modulusLength' in algorithm ? algorithm.modulusLength : undefined
