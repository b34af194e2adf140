/** The environment variables that the harness sets for every server. */
export type Environment = {
  /** Address of the published key set. */
  readonly keySetUrl: string
  readonly issuer: string
  readonly audience: string
  /** The role that the guarded route requires. */
  readonly role: string
}

export function readEnvironment(): Environment {
  const { KEY_SET_URL = '', ISSUER = '', AUDIENCE = '', ROLE = '' } = process.env
  return { keySetUrl: KEY_SET_URL, issuer: ISSUER, audience: AUDIENCE, role: ROLE }
}

/** Prints the line that the services of this repository print when they listen. */
export function announce(url: string): void {
  console.log(JSON.stringify({ msg: 'listening', url }))
}

/** Whether a verified payload contains the role. Every guarded peer uses this. */
export function hasRole(claims: object, role: string): boolean {
  const roles = 'roles' in claims ? claims.roles : undefined
  return Array.isArray(roles) && roles.includes(role)
}
