// Folder: Sessions, the tokens of forms, and addresses.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { Administrator, PortalHost } from '../portal-host.ts'
import { sessionKeyOf } from './addresses.ts'

/** How long an administrator stays signed in, in seconds. */
export const sessionSeconds = 3600

/** How long a session may make changes after the administrator proved its identity, in seconds. */
export const confirmationSeconds = 600

const date = z.iso.datetime().transform((text) => new Date(text))

/** An administrator application that is signed in. */
const portalSession = z.strictObject({
  id: z.string(),
  /** It is in the path of each page. A cookie alone opens nothing. */
  key: z.string(),
  tenantId: z.string(),
  applicationId: z.string(),
  /** The credential that signed in. The session ends with it. */
  credentialId: z.string(),
  expiresAt: date,
  /** When the administrator last proved its identity. */
  confirmedAt: date,
})

export type PortalSession = z.output<typeof portalSession>

/** Whether the administrator proved its identity a short time ago, also by the clock of another replica. */
export const isConfirmed = ({ confirmedAt }: PortalSession, now: Date): boolean =>
  Math.abs(now.getTime() - confirmedAt.getTime()) < confirmationSeconds * 1000

/**
 * Values that a browser keeps, and can neither read nor change. All replicas with one key-encryption
 * key accept them.
 */
export class SealedValues {
  readonly #host: Pick<PortalHost, 'seal' | 'open'>

  constructor(host: Pick<PortalHost, 'seal' | 'open'>) {
    this.#host = host
  }

  /** @param purpose a value that is sealed for one purpose cannot be opened for another */
  seal(purpose: string, value: object): string {
    return this.#host.seal(purpose, JSON.stringify(value))
  }

  /** @returns the value, or undefined when this server did not seal it for this purpose */
  open<Value>(purpose: string, sealed: string, schema: z.ZodType<Value>): Value | undefined {
    const text = this.#host.open(purpose, sealed)
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data
  }
}

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

type Host = Pick<
  PortalHost,
  'clockToleranceSeconds' | 'isAdministrator' | 'newGuid' | 'now' | 'storeWentBackAt' | 'usedUp'
>

/** Why a request has no session. With a cookie but without its key, the session is at another address. */
export type NoSession = 'absent' | 'ended' | 'at_another_address'

const purpose = 'portal session'
const prefix = '__Host-greeting-portal-'
/** Browsers accept `Secure` and `__Host-` over plain HTTP on loopback, which they trust. */
const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const
/** Each session has a separate cookie, so that several tabs do not end each other's session. */
const maxCookies = 6

/** The sessions of the browsers. A session is a sealed cookie, and a key in the path of each page. */
export class PortalSessions {
  readonly #host: Host
  readonly #sealed: SealedValues

  constructor(host: Host, sealed: SealedValues) {
    this.#host = host
    this.#sealed = sealed
  }

  /**
   * The session of a request, if it is still valid.
   *
   * @throws {StorageUnavailableError} storage_unavailable when the store cannot tell whether it was ended
   */
  async find(context: Context<ServerEnv>): Promise<PortalSession | NoSession> {
    const key = sessionKeyOf(new URL(context.req.url).pathname)
    if (key === undefined) return namesOf(context).length === 0 ? 'absent' : 'at_another_address'
    const session = this.#open(context, cookieOf(key))
    return session && isEqual(session.key, key) && (await this.#isOpen(session)) ? session : 'ended'
  }

  /**
   * Begins a session, and sets its cookie. Its key is new each time.
   *
   * @param continued the session of the same administrator that was confirmed. Its forms stay valid, and
   *   it ends with this one
   */
  begin(
    context: Context<ServerEnv>,
    administrator: Administrator,
    continued?: Pick<PortalSession, 'id'>,
  ): PortalSession {
    const { now, newGuid } = this.#host
    const { tenantId, applicationId, credentialId } = administrator
    const confirmedAt = now()
    const session: PortalSession = {
      id: continued?.id ?? newGuid(),
      key: newGuid().replaceAll('-', ''),
      tenantId,
      applicationId,
      credentialId,
      confirmedAt,
      expiresAt: new Date(confirmedAt.getTime() + sessionSeconds * 1000),
    }
    const value = this.#sealed.seal(purpose, session)
    // Browsers send the oldest cookie first.
    for (const name of namesOf(context).slice(0, 1 - maxCookies))
      deleteCookie(context, name, attributes)
    setCookie(context, cookieOf(session.key), value, { ...attributes, maxAge: sessionSeconds })
    return session
  }

  /**
   * Ends every session of a browser, on all replicas.
   *
   * @throws {StorageUnavailableError} storage_unavailable when that cannot be recorded
   */
  async end(context: Context<ServerEnv>): Promise<void> {
    const names = namesOf(context)
    const sessions = names.flatMap((name) => this.#open(context, name) ?? [])
    const { clockToleranceSeconds, now, usedUp } = this.#host
    // A confirmed session may end later than this copy of its cookie.
    const seconds = sessionSeconds + clockToleranceSeconds
    const until = new Date(now().getTime() + seconds * 1000)
    const byId = new Map(sessions.map((session) => [session.id, session]))
    for (const { applicationId, id } of byId.values())
      await usedUp.spend(applicationId, endOf(id), until)
    for (const name of names) deleteCookie(context, name, attributes)
  }

  #open(context: Context<ServerEnv>, name: string): PortalSession | undefined {
    const text = getCookie(context, name)
    return text === undefined ? undefined : this.#sealed.open(purpose, text, portalSession)
  }

  async #isOpen(session: PortalSession): Promise<boolean> {
    const now = this.#host.now()
    const wentBackAt = this.#host.storeWentBackAt?.()
    // The store may have lost the end of a session.
    const isLost = wentBackAt && wentBackAt <= now && session.confirmedAt <= wentBackAt
    if (session.expiresAt <= now || isLost) return false
    if (!(await this.#host.isAdministrator(session, now))) return false
    return !(await this.#host.usedUp.isSpent(session.applicationId, endOf(session.id)))
  }
}

/** Adds the cookies of a context to an answer that it did not make. */
export function withCookies(context: Context<ServerEnv>, answer: Response): Response {
  if (answer.headers.has('set-cookie')) return answer
  for (const cookie of context.res.headers.getSetCookie())
    answer.headers.append('set-cookie', cookie)
  return answer
}

const endOf = (id: string) => `portal-session:${id}`

const namesOf = (context: Context<ServerEnv>): readonly string[] =>
  Object.keys(getCookie(context)).filter((name) => name.startsWith(prefix))

/** The name shows nothing of the key. */
const cookieOf = (key: string) =>
  `${prefix}${createHash('sha256').update(key).digest('hex').slice(0, 8)}`

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
