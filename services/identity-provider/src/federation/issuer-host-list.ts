const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The hosts that this server may ask for keys: a request of others must not decide whom it calls.
 *
 * A host on the list is trusted wherever its name leads, for clusters have issuers at private
 * addresses; one that is not is never looked up.
 */
export class IssuerHostList {
  readonly #hosts: ReadonlySet<string>

  /** @param hosts Names or addresses in lower case, with the port unless it is the usual one. */
  constructor(hosts: Iterable<string>) {
    this.#hosts = new Set(hosts)
  }

  /** Whether a URL may be asked: on the list, and by https unless it is on this machine. */
  allows(url: string): boolean {
    const parsed = URL.parse(url)
    if (parsed === null || parsed.username !== '' || parsed.password !== '') return false
    const isSafe =
      parsed.protocol === 'https:' ||
      (parsed.protocol === 'http:' && loopbackHosts.has(parsed.hostname))
    return isSafe && this.#hosts.has(parsed.host)
  }
}
