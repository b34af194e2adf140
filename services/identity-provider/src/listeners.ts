import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalCertificates } from './certificates/local-certificates.ts'
import type { Authority } from './dialect/authority.ts'
import { type Listener, listen, listenSecurely } from './http/listener.ts'
import type { Log } from './http/service-options.ts'
import type { Settings } from './settings.ts'

/** A way into the server: a socket, and the names under which the server speaks there. */
export type OpenListener = { readonly listener: Listener; readonly authority: Authority }

/** Every way into the server. */
export type OpenListeners = {
  readonly http: OpenListener | undefined
  readonly https: OpenListener | undefined
  /** Where the server's own documents and files lead: HTTP, unless that is turned off. */
  readonly first: OpenListener
  readonly all: readonly OpenListener[]
  /** Shows a new server certificate once the present one is near its end. */
  readonly renewCertificate: () => Promise<void>
}

/** Names that always lead to this machine. */
const ownNames = ['localhost', '127.0.0.1', '::1']
const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * Opens the sockets that the settings ask for, and the certificates that HTTPS needs.
 *
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`; then no socket stays open.
 * @throws {CertificatesError} certificates_unusable
 */
export async function openListeners(
  settings: Settings,
  now: () => Date,
  log: Pick<Log, 'warn'>,
): Promise<OpenListeners> {
  const { HOST, PORT, HTTPS_PORT, DATA_DIR } = settings
  const http = PORT === null ? undefined : await listen(HOST, PORT)
  try {
    await mkdir(DATA_DIR, { recursive: true, mode: 0o700 })
    const https = HTTPS_PORT === null ? undefined : await openSecure(settings, HTTPS_PORT, now, log)
    const first = http ?? https?.listener
    if (first === undefined) throw new TypeError('The settings leave no way into the server.')
    const issuerUrl = settings.ISSUER_URL ?? first.url
    const entrance = (listener: Listener, authUrl: string): OpenListener => ({
      listener,
      authority: { authUrl, issuerUrl, issuerUrlV2: settings.ISSUER_URL_V2 ?? authUrl },
    })
    const plain = http && entrance(http, settings.AUTH_URL ?? http.url)
    const secure = https && entrance(https.listener, settings.HTTPS_AUTH_URL ?? https.listener.url)
    const all = [plain, secure].filter((one) => one !== undefined)
    const renewCertificate = https?.renewCertificate ?? (async () => {})
    return { http: plain, https: secure, first: all[0] as OpenListener, all, renewCertificate }
  } catch (cause) {
    await http?.stop()
    throw cause
  }
}

async function openSecure(
  { HOST, ...settings }: Settings,
  port: number,
  now: () => Date,
  log: Pick<Log, 'warn'>,
) {
  const folder = join(settings.DATA_DIR, 'tls')
  const certificates = await LocalCertificates.open({
    folder,
    names: namesOf(HOST, settings.HTTPS_NAMES, settings.HTTPS_AUTH_URL),
    now,
    onAuthorityReplaced: (reason) =>
      log.warn({ folder, reason }, 'the certificate authority was replaced: trust it again'),
  })
  const listener = await listenSecurely(HOST, port, certificates.server)
  return {
    // Clients check the name, and people read it: an address is the poorer one.
    listener: {
      ...listener,
      url: listener.url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:'),
    },
    renewCertificate: async () => {
      if (await certificates.renew()) listener.show(certificates.server)
    },
  }
}

function namesOf(host: string, configured: readonly string[], publicUrl: string | undefined) {
  const names = [...ownNames, ...(everyAddress.has(host) ? [] : [host]), ...configured]
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}
