import type { Caller } from '../caller.ts'

/** The header in which an MCP server and its clients name a session. */
export const sessionHeader = 'mcp-session-id'

const maxSessions = 10_000

const ownerOf = ({ tenantId, applicationId }: Caller) => `${tenantId} ${applicationId}`

/**
 * Remembers which caller opened each session of an SDK, because a session itself belongs to no caller.
 *
 * At most 10,000 are kept, the oldest ones are forgotten. A session that is not known here belongs
 * to no caller: its client gets 404, and opens a new one, as the protocol requires.
 */
export class SessionOwners {
  readonly #owners = new Map<string, string>()

  /** Whether the session belongs to the caller. */
  has(session: string, caller: Caller): boolean {
    const owner = this.#owners.get(session)
    if (owner !== ownerOf(caller)) return false
    // The order of the map is that of the last use.
    this.#owners.delete(session)
    this.#owners.set(session, owner)
    return true
  }

  /** Notes the session of a response to the caller; no session changes its owner. */
  note(session: string | null | undefined, caller: Caller): void {
    if (!session || this.#owners.has(session)) return
    const [oldest] = this.#owners.keys()
    if (this.#owners.size >= maxSessions && oldest !== undefined) this.#owners.delete(oldest)
    this.#owners.set(session, ownerOf(caller))
  }
}
