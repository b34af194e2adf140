import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PortalSession } from './portal-session.ts'

/** Makes and checks the tokens of forms. A token is valid for one session and one form. */
export class FormTokens {
  readonly #key: Uint8Array

  /** @param key at least 32 bytes, the same on all replicas */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** @param action the path to which the form is sent */
  tokenOf({ id }: Pick<PortalSession, 'id'>, action: string): string {
    return createHmac('sha256', this.#key).update(`${id}\n${action}`).digest('base64url')
  }

  isTokenOf(session: Pick<PortalSession, 'id'>, action: string, token: string): boolean {
    const [expected, actual] = [Buffer.from(this.tokenOf(session, action)), Buffer.from(token)]
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  }
}
