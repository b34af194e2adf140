import type { PublishedKeys } from '@greeting/guard'
import type { ServerEnv } from '@greeting/http-service'

/** An administrator application that authenticated with one of its credentials. */
export type Administrator = {
  readonly tenantId: string
  readonly applicationId: string
  readonly credentialId: string
}

/** Why a sign-in failed. */
export type SignInFault = 'credentials_wrong' | 'credential_ended' | 'no_role' | 'throttled'

/** A sign-in with the secret of an administrator application. */
export type SignInAttempt = {
  readonly clientId: string
  readonly clientSecret: string
  /** The address from which it comes. */
  readonly source: string
}

/** The token that a client would get, or the refusal. */
export type TokenPreview =
  | { readonly token: string }
  | { readonly refusal: string; readonly code: number; readonly sentence: string }

/** A refusal of a token request: its code, and the two parts of "if … then …". */
type RefusalText = {
  readonly code: number
  readonly error: string
  readonly when: string
  readonly remedy: string
}

/** Answers a request as an administrator. Each operation checks the roles that it has now. */
export type CallAsAdministrator = (
  administrator: Pick<Administrator, 'tenantId' | 'applicationId'>,
  request: Request,
) => Response | Promise<Response>

/** One fault that a lab can make, with its parameters. */
export type FaultKind = {
  readonly name: string
  /** The endpoints at which it can be armed. */
  readonly at: readonly string[]
  /** One sentence. */
  readonly summary: string
  readonly parameters: readonly FaultParameter[]
}

/** A parameter of a fault: a whole number in a range, or one of some values. */
export type FaultParameter = {
  readonly name: string
  readonly initial: string | number | undefined
  readonly choices: readonly (string | number)[] | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly isRequired: boolean
}

/** The identity provider, as the portal uses it. It implements this interface; the portal imports no part of it. */
export type PortalHost = {
  readonly authUrl: string
  /** The authority over HTTPS; undefined when HTTPS is off. */
  readonly httpsAuthUrl: string | undefined
  /** The URL of the listener for metrics; undefined when it is off. */
  readonly metricsUrl?: string | undefined
  /** The issuer of each version of tokens in a tenant. */
  readonly issuersOf: (tenantId: string) => { readonly v1: string; readonly v2: string }
  readonly longestTokenSeconds: number
  /** Each claim by its name: its meaning, and why it differs between two tokens. */
  readonly claims: ReadonlyMap<string, { readonly sentence: string; readonly differs?: string }>
  /** The application IDs of the APIs whose roles administer the directory and the server. */
  readonly managementApiIds: readonly string[]
  readonly now: () => Date
  readonly newGuid: () => string

  /** The operations of the management APIs, and those of the lab below `/lab`. */
  readonly call: CallAsAdministrator
  /** The lab of this server; undefined when it is off. */
  readonly lab: { readonly faultKinds: readonly FaultKind[] } | undefined
  /** Sends a token request to the token endpoint of this server. */
  readonly requestToken: (request: Request) => Response | Promise<Response>
  /**
   * Makes the token that a client would get. It authenticates no client, so the token must not leave
   * the server.
   */
  readonly previewToken: (
    tenantId: string,
    clientId: string,
    resourceName: string,
    now: Date,
  ) => Promise<TokenPreview>
  /** The signing keys in the form of a key set. */
  readonly publishedKeys: PublishedKeys
  /** The refusals of token requests, by their reason. */
  readonly refusals: ReadonlyMap<string, RefusalText>

  /** Signs an administrator in, with the limit of wrong attempts and the log of the token endpoint. */
  readonly signIn: (
    attempt: SignInAttempt,
    action: 'portal.signIn' | 'portal.confirm',
  ) => Promise<Administrator | SignInFault>
  /** Whether the application, its credential and one of its management roles are still valid. */
  readonly isAdministrator: (administrator: Administrator, now: Date) => Promise<boolean>
  /** The names of an application and its tenant; empty for those that do not exist. */
  readonly namesOf: (
    administrator: Pick<Administrator, 'tenantId' | 'applicationId'>,
  ) => Promise<{ readonly administratorName: string; readonly tenantName: string }>
  /** The address of a request for the limit of wrong attempts. */
  readonly addressOf: (env: ServerEnv['Bindings'] | undefined) => string

  /** Encrypts a text. All replicas can decrypt it, for the same purpose only. */
  readonly seal: (purpose: string, text: string) => string
  /** Undefined when this server did not seal the text for this purpose. */
  readonly open: (purpose: string, sealed: string) => string | undefined
  /** At least 32 bytes for the tokens of forms, the same on all replicas. */
  readonly formKey: Uint8Array
  /** Records the one-time links that were used, and the sessions that were ended, on all replicas. */
  readonly usedUp: {
    readonly spend: (applicationId: string, id: string, expiresAt: Date) => Promise<boolean>
    readonly isSpent: (applicationId: string, id: string) => Promise<boolean>
  }
  /** The last time when the store lost commits, and with them the ends of sessions. */
  readonly storeWentBackAt?: (() => Date | undefined) | undefined
  readonly clockToleranceSeconds: number
  readonly reportFailure: (cause: unknown) => void
}
