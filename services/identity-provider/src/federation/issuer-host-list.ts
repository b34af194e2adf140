import { isSafeIssuerUrl } from '../directory/issuer-url.ts'

/**
 * The hosts from which this server may request keys, so that a client cannot make it call other hosts.
 *
 * An allowed host may have a private address, as issuers in clusters do. The name of any other host
 * is never resolved.
 */
export class IssuerHostList {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts names or addresses in lower case, with the port unless it is the default port */
  constructor(hosts: Iterable<string>) {
    this.#hosts = new Set(hosts)
  }

  /** Whether a URL is allowed: its host is on the list, and it uses https or is on this machine. */
  allows(url: string): boolean {
    const parsed = URL.parse(url)
    return parsed !== null && isSafeIssuerUrl(parsed) && this.#hosts.has(parsed.host)
  }
}
