import pg from 'pg'

/** The error when the server is a standby, which accepts no writes. */
export class StandbyError extends Error {
  readonly code = 'standby'
  override readonly name = 'StandbyError'
}

/** The error when none of several servers can be used. */
export class ServersUnavailableError extends Error {
  readonly code = 'servers_unavailable'
  override readonly name = 'ServersUnavailableError'
  readonly failures: readonly { readonly name: string; readonly cause: unknown }[]

  constructor(failures: ServersUnavailableError['failures']) {
    super('None of several servers can be used.')
    this.failures = failures
  }
}

/**
 * SQLSTATE codes and classes of errors for which the database, not the query, is at fault.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const faults: Readonly<Record<string, string>> = {
  '08': 'broke the connection',
  '25': 'accepts no writes',
  '28': 'refuses the user or the password',
  '3D': 'does not exist',
  '40': 'rolled back because of another transaction',
  '42P01': 'does not have the tables of this release: start the server again',
  '42501': 'denies the user a required permission',
  '53': 'has no space or memory left',
  '55': 'is locked by another program',
  '57': 'was stopped, or took too long',
  '58': 'reports an error of its operating system',
  XX: 'is damaged',
}

/** Faults of TLS by their code, or by the message of the driver or the server, each with its remedy. */
const tlsFaults: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_/,
    'has a certificate of another authority: name its authority in sslrootcert or NODE_EXTRA_CA_CERTS',
  ],
  [
    /ALTNAME_INVALID/,
    'has a certificate for another name: use its name in DATABASE_URL, or sslmode=verify-ca',
  ],
  [/CERT_(HAS_EXPIRED|NOT_YET)/, 'has a certificate that is not valid now: renew it'],
  [/does not support SSL/, 'offers no TLS: enable ssl at the server, or use sslmode=disable'],
  [/no encryption|SSL off/, 'requires TLS: add sslmode=verify-full to DATABASE_URL'],
  [
    /requires a valid client certificate/,
    'requires a client certificate: name its files in sslcert and sslkey of DATABASE_URL',
  ],
  [
    /certificate authentication failed|ALERT_UNKNOWN_CA|ALERT_BAD_CERT/i,
    'refuses the client certificate: sslcert must be of its authority and for this user',
  ],
]

function tlsFaultOf(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : ''
  const fault = tlsFaults.find(([cause]) => cause.test(`${code} ${error.message}`))
  return fault?.[1]
}

/**
 * True if the server rolled back a transaction because of another one: a deadlock, a serialization
 * conflict, or a conflict with recovery on a standby.
 */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')

/** The fault of the database; undefined if the error is in the query or in this program. */
export function postgresFaultOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    const { code } = error
    // The driver itself throws an error without a code when it cannot parse an answer.
    if (code === undefined) return `does not answer as PostgreSQL does: ${error.message}`
    const tlsFault = code.startsWith('28') ? tlsFaultOf(error) : undefined
    if (tlsFault !== undefined) return tlsFault
    const fault = faults[code] ?? faults[code.slice(0, 2)]
    return fault && `${fault} (${code}: ${error.message})`
  }
  if (error instanceof StandbyError)
    return 'is a standby: the identity provider needs a server that accepts writes'
  if (error instanceof ServersUnavailableError) {
    const failures = error.failures.map(
      ({ name, cause }) => `${name} ${postgresFaultOf(cause) ?? 'cannot be used'}`,
    )
    return `has no server that can be used: ${failures.join('; ')}`
  }
  // Other errors of the driver are network errors. A TypeError is a mistake of this program.
  if (!(error instanceof Error) || error instanceof TypeError) return undefined
  return tlsFaultOf(error) ?? `cannot be reached: ${reasonOf(error)}`
}

const reasonOf = (error: Error): string =>
  // A host with several addresses: the driver has tried each, and the message is empty.
  error instanceof AggregateError
    ? error.errors.map((each: Error) => each.message).join(', ')
    : error.message
