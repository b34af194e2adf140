import assert from 'node:assert/strict'
import { constants, createHash, type KeyObject, randomUUID, sign } from 'node:crypto'
import { issuedCertificate } from '../../test/fixtures/issued-certificate.ts'
import { rsaKeyPair } from '../../test/fixtures/rsa-key-pair.ts'
import type { SystemIdentity } from '../running/seeded-system.ts'
import type { Administrator } from './administrator.ts'

const lifetimeSeconds = 540

type SigningKey = { readonly privateKey: KeyObject; readonly thumbprint: string }

/** Creates assertions for a client, each of which servers with `ASSERTION_USE=once` may accept once. */
export class SingleAssertions {
  readonly #system: SystemIdentity
  readonly #authUrl: string
  readonly #key: SigningKey
  readonly #accepted: string[] = []
  #acceptedTwice = 0

  private constructor(system: SystemIdentity, authUrl: string, key: SigningKey) {
    this.#system = system
    this.#authUrl = authUrl
    this.#key = key
  }

  /** Gives the client of the system a certificate. */
  static async create(
    system: SystemIdentity,
    administrator: Administrator,
    authUrl: string,
  ): Promise<SingleAssertions> {
    const pair = rsaKeyPair()
    const { base64, der } = await issuedCertificate('drill', undefined, false, pair)
    const { applicationId } = system.client
    const answer = await administrator.send(
      'graph',
      'PATCH',
      `/v1.0/applications(appId='${applicationId}')`,
      { keyCredentials: [{ type: 'AsymmetricX509Cert', usage: 'Verify', key: base64 }] },
    )
    assert.equal(answer.status, 204, await answer.text())
    const thumbprint = createHash('sha256').update(der).digest('base64url')
    return new SingleAssertions(system, authUrl, { privateKey: pair.privateKey, thumbprint })
  }

  get accepted(): number {
    return this.#accepted.length
  }

  /** Sends a new assertion to all servers at the same time. */
  async use(origins: readonly string[]): Promise<void> {
    const assertion = this.#next()
    const statuses = await Promise.allSettled(origins.map((one) => this.#send(one, assertion)))
    const times = statuses.filter((one) => one.status === 'fulfilled' && one.value === 200).length
    if (times > 0) this.#accepted.push(assertion)
    if (times > 1) this.#acceptedTwice += 1
    if (times === 0) throw new Error('no server accepted the assertion')
  }

  /** Sends each accepted assertion again. */
  async assertAcceptedOnce(origins: readonly string[]): Promise<void> {
    assert.equal(this.#acceptedTwice, 0, 'two servers accepted the same assertion')
    for (const [index, assertion] of this.#accepted.entries()) {
      const status = await this.#send(origins[index % origins.length] ?? '', assertion)
      assert.equal(status, 401, 'a used assertion was not refused as one')
    }
  }

  #next(): string {
    const { applicationId } = this.#system.client
    const { privateKey, thumbprint } = this.#key
    const nbf = Math.floor(Date.now() / 1000)
    const claims = {
      aud: `${this.#authUrl}${this.#path}`,
      iss: applicationId,
      sub: applicationId,
      jti: randomUUID(),
      nbf,
      exp: nbf + lifetimeSeconds,
    }
    const signed = [{ alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const key = { key: privateKey, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }

  get #path(): string {
    return `/${this.#system.tenantId}/oauth2/v2.0/token`
  }

  async #send(origin: string, assertion: string): Promise<number> {
    const { client, apiApplicationId } = this.#system
    const answer = await fetch(`${origin}${this.#path}`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.applicationId,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
        scope: `api://${apiApplicationId}/.default`,
      }),
    })
    await answer.text()
    return answer.status
  }
}
