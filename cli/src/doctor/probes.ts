// Folder: The steps of `greeting doctor`, and the checks of their results.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  type ClientFailure,
  type GreetingClient,
  greetings as greetingTable,
  isClientFailure,
  networkFault,
} from '@greeting/client'
import {
  type ClientSettings,
  type NamedSettings,
  readClientSettings,
} from '../client/client-settings.ts'
import { type Connection, connect } from '../client/connection.ts'
import type { ExitName } from '../exit-codes.ts'
import type { Settings } from '../files/env-file.ts'

/** The answer of a server to a request without credentials. */
export type PlainAnswer = {
  readonly status: number
  readonly body: string
  /** Difference between its clock and the local clock, in seconds, if it sends a `Date` header. */
  readonly skewSeconds: number | undefined
}

/** The result of a probe: a value, or the reason of the failure. */
export type Attempt<Value, Reason = Error> = { readonly value: Value } | { readonly error: Reason }

/** What an administrator of this machine can see about roles that a token lacks. */
export type LocalSteps = {
  /** The sentence about each role, as far as a system runs here. */
  readonly sentences: Readonly<Record<string, string>>
  /** The command that shows all steps. */
  readonly command: string
}

/** The greetings of the API that are tried. */
export const greetingNames = Object.keys(greetingTable) as (keyof GreetingClient)[]

/** All measured facts, before the checks. A probe that did not run is absent. */
export type Probes = {
  readonly nowMs: number
  readonly settings: Attempt<ClientSettings>
  readonly credentialEndsMs?: number | undefined
  readonly authority?: Attempt<PlainAnswer>
  readonly token?: Attempt<string, ClientFailure>
  readonly health?: Attempt<PlainAnswer>
  /** The greetings in the order of `greetingNames`. */
  readonly greeted?: readonly Attempt<string, ClientFailure>[]
  /** The registration steps of roles that the token lacks, at an identity provider of this machine. */
  readonly steps?: LocalSteps | undefined
}

const maxBodyCharacters = 1_000_000

async function attempt<Value>(work: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

async function attemptCall(work: () => Promise<string>): Promise<Attempt<string, ClientFailure>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (isClientFailure(error)) return { error }
    throw error
  }
}

/** Requests a document without credentials. */
async function getPlain(url: string, deadlineMs: number): Promise<PlainAnswer> {
  const sentMs = Date.now()
  const signal = AbortSignal.timeout(deadlineMs)
  const response = await fetch(url, { redirect: 'manual', signal })
  const halfwayMs = (sentMs + Date.now()) / 2
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  const skewSeconds = Number.isNaN(serverMs) ? undefined : Math.round((serverMs - halfwayMs) / 1000)
  const body = (await response.text()).slice(0, maxBodyCharacters)
  const error = new Error(body.slice(0, 1_000))
  if (networkFault(error, new URL(url)).name === 'https_required') throw error
  return { status: response.status, body, skewSeconds }
}

/** End of the credential. For a client secret, only the setting `CLIENT_SECRET_EXPIRES` shows it. */
async function credentialEndMs({ values }: ClientSettings): Promise<number | undefined> {
  const file = values.CLIENT_CERTIFICATE_FILE
  if (file === undefined) {
    const endsMs = Date.parse(values.CLIENT_SECRET_EXPIRES ?? '')
    return Number.isNaN(endsMs) ? undefined : endsMs
  }
  try {
    return new X509Certificate(await readFile(file)).validToDate.getTime()
  } catch {
    return undefined
  }
}

const discoveryUrl = ({ AUTH_URL, TENANT_ID }: ClientSettings): string =>
  `${AUTH_URL}/${encodeURIComponent(TENANT_ID)}/v2.0/.well-known/openid-configuration`

/** Runs each step of a job, and records the result of each. */
export async function runProbes(
  environment: Settings,
  named: NamedSettings,
  deadlineMs: number,
): Promise<Probes> {
  const nowMs = Date.now()
  let settings: ClientSettings
  let connection: Connection
  try {
    settings = await readClientSettings(environment, named)
    connection = connect(settings, { deadlineMs })
  } catch (error) {
    return { nowMs, settings: { error: error instanceof Error ? error : new Error(String(error)) } }
  }
  const { tokens, greetings } = connection
  const [authority, token, health] = await Promise.all([
    attempt(() => getPlain(discoveryUrl(settings), deadlineMs)),
    // A new token, because a cached one shows an earlier state.
    attemptCall(() => tokens.token({ force: true })),
    attempt(() => getPlain(`${settings.BASE_URL}/healthz`, deadlineMs)),
  ])
  const facts = {
    nowMs,
    settings: { value: settings },
    credentialEndsMs: await credentialEndMs(settings),
    authority,
    token,
    health,
  }
  if ('error' in token || 'error' in health) return facts
  const greeted = await Promise.all(
    greetingNames.map((name) => {
      const call = greetings[name] as (...texts: readonly string[]) => Promise<string>
      return attemptCall(() => call(...greetingTable[name].parameters.map(() => 'doctor')))
    }),
  )
  return { ...facts, greeted }
}

export type CheckResult =
  | { readonly state: 'right' | 'unknown'; readonly detail: string }
  | { readonly state: 'warning'; readonly detail: string; readonly remedy: string }
  | {
      readonly state: 'wrong'
      readonly detail: string
      readonly remedy: string
      /** A command and a page that tell more. */
      readonly more: readonly string[]
      /** Exit code of the command when this check fails first. */
      readonly exit: ExitName
    }

/** One check of the path that a job takes. */
export type Check = {
  readonly step: string
  readonly run: (facts: Probes) => CheckResult
}

export const right = (detail: string): CheckResult => ({ state: 'right', detail })
export const unknown = (detail: string): CheckResult => ({ state: 'unknown', detail })
export const warning = (detail: string, remedy: string): CheckResult => ({
  state: 'warning',
  detail,
  remedy,
})
export const wrong = (
  exit: ExitName,
  detail: string,
  remedy: string,
  more: readonly string[] = [],
): CheckResult => ({ state: 'wrong', detail, remedy, more, exit })

/** The sections of the page about faults. */
export const sections = {
  rejected: 'See docs/troubleshooting.md#401-of-the-api',
  roles: 'See docs/troubleshooting.md#403-or-a-token-without-roles',
  connections: 'See docs/troubleshooting.md#connections',
} as const
