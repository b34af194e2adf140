/**
 * What the harness tells every server that it starts, by the environment, and what a server
 * answers: one line on stdout, the same that the services of this repository write.
 */
export type Given = {
  /** Where the key set of the run is published. */
  readonly keySetUrl: string
  readonly issuer: string
  readonly audience: string
  /** The role that the guarded route demands. */
  readonly role: string
}

export function given(): Given {
  const { KEY_SET_URL = '', ISSUER = '', AUDIENCE = '', ROLE = '' } = process.env
  return { keySetUrl: KEY_SET_URL, issuer: ISSUER, audience: AUDIENCE, role: ROLE }
}

export function announce(url: string): void {
  console.log(JSON.stringify({ msg: 'listening', url }))
}

/** Whether a verified payload carries the role, as every guarded peer here decides it. */
export function hasRole(claims: object, role: string): boolean {
  const roles = 'roles' in claims ? claims.roles : undefined
  return Array.isArray(roles) && roles.includes(role)
}
