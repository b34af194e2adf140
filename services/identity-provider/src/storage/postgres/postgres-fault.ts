import pg from 'pg'

/** The server copies another, and takes no writes. */
export class StandbyError extends Error {
  readonly code = 'standby'
  override readonly name = 'StandbyError'
}

/** Of several servers none can be used. */
export class ServersUnavailableError extends Error {
  readonly code = 'servers_unavailable'
  override readonly name = 'ServersUnavailableError'
  readonly failures: readonly { readonly name: string; readonly cause: unknown }[]

  constructor(failures: ServersUnavailableError['failures']) {
    super('Of several servers none can be used.')
    this.failures = failures
  }
}

/**
 * Classes of SQLSTATE that mean that the database, not the question, is at fault.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const faults: Readonly<Record<string, string>> = {
  '08': 'broke the connection',
  '25': 'takes no writes',
  '28': 'refuses the user or the password',
  '3D': 'does not exist',
  '40': 'had to give way to another transaction',
  '42P01': 'has not the tables of this release: start the server again',
  '42501': 'refuses the user what it needs',
  '53': 'has no room left',
  '55': 'is locked by somebody else',
  '57': 'was stopped, or took too long',
  '58': 'has trouble with its system',
  XX: 'is damaged',
}

/** What is wrong with the database, undefined when nothing is. */
export function postgresFaultOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    const { code } = error
    // The driver itself complains so of what no such server says.
    if (code === undefined) return `does not speak as PostgreSQL does: ${error.message}`
    const fault = faults[code] ?? faults[code.slice(0, 2)]
    return fault && `${fault} (${code}: ${error.message})`
  }
  if (error instanceof StandbyError)
    return 'is a standby: the identity provider needs a server that takes writes'
  if (error instanceof ServersUnavailableError) {
    const told = error.failures.map(
      ({ name, cause }) => `${name} ${postgresFaultOf(cause) ?? 'cannot be used'}`,
    )
    return `has no server that can be used: ${told.join('; ')}`
  }
  // Whatever else the driver throws is about the way there; a TypeError is our own mistake.
  if (!(error instanceof Error) || error instanceof TypeError) return undefined
  return `cannot be reached: ${reasonOf(error)}`
}

const reasonOf = (error: Error): string =>
  // Of a host with several addresses each was tried, and the message is empty.
  error instanceof AggregateError
    ? error.errors.map((each: Error) => each.message).join(', ')
    : error.message
