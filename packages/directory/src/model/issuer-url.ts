const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True if the URL of an issuer has no credentials, and uses https or is on this machine. */
export const isSafeIssuerUrl = ({ protocol, hostname, username, password }: URL): boolean =>
  username + password === '' &&
  (protocol === 'https:' || (protocol === 'http:' && loopbackHosts.has(hostname)))

/** True if a text is an http or https URL of this machine, without credentials. */
export function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    loopbackHosts.has(url.hostname) &&
    url.username + url.password === ''
  )
}
