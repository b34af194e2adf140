import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { RunningIssuer } from './token-endpoint.ts'

/** What an authorization server of a row must not do. */
export type IssuanceFault =
  | 'the right secret is refused'
  | 'a wrong secret is taken'
  | 'the same token is given twice'
  | 'a token is not RS256 under a published key of 2048 bits'

/** The bits of RSA that every row signs with, as `openssl speed rsa2048` does. */
const modulusBits = 2048

/**
 * Asks an authorization server for real: it must sign with a published key of the right size, give
 * a fresh token each time, and refuse a wrong secret. Returns what it did otherwise.
 */
export async function proofOfIssuance(issuer: RunningIssuer): Promise<IssuanceFault[]> {
  const faults: IssuanceFault[] = []
  const first = await requestToken(issuer, issuer.form)
  const second = await requestToken(issuer, issuer.form)
  if (first.token === undefined) return ['the right secret is refused']
  if (!(await signedByPublishedKey(first.token, issuer.keySetUrl))) {
    faults.push('a token is not RS256 under a published key of 2048 bits')
  }
  if (first.token === second.token) faults.push('the same token is given twice')
  const wrong = await requestToken(issuer, { ...issuer.form, client_secret: 'wrong' })
  if (wrong.status !== 400 && wrong.status !== 401) faults.push('a wrong secret is taken')
  return faults
}

async function requestToken(issuer: RunningIssuer, form: Readonly<Record<string, string>>) {
  const response = await fetch(issuer.tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams(form),
    signal: AbortSignal.timeout(5_000),
  })
  const body: { access_token?: string } = await response.json()
  return { status: response.status, token: body.access_token }
}

async function signedByPublishedKey(token: string, keySetUrl: string): Promise<boolean> {
  const response = await fetch(keySetUrl, { signal: AbortSignal.timeout(5_000) })
  const { keys }: { keys: (JsonWebKey & { kid?: string })[] } = await response.json()
  const [header = '', claims = '', signature = ''] = token.split('.')
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = keys.find((key) => key.kid === kid)
  if (alg !== 'RS256' || jwk === undefined) return false
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return (
    key.asymmetricKeyDetails?.modulusLength === modulusBits &&
    verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
  )
}
