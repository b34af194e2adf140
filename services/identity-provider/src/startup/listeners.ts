import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { makeFolder } from '@greeting/directory/files'
import {
  type Listener,
  listen,
  listenSecurely,
  openMetricsListener,
  type SecureListener,
  type StopOptions,
  type TlsIdentity,
} from '@greeting/http-service'
import type { Authority } from '../dialect/authority.ts'
import type { Log } from '../endpoints/service-options.ts'
import type { Settings } from './settings.ts'

/** An open listener, with the URLs that its documents and tokens contain. */
type OpenListener = { readonly listener: Listener; readonly authority: Authority }

export type OpenListeners = {
  readonly http: OpenListener | undefined
  readonly https: OpenListener | undefined
  /** The listener whose URL the files of the service contain: HTTP, or HTTPS when HTTP is off. */
  readonly first: OpenListener
  readonly all: readonly OpenListener[]
  /** The listener for metrics; undefined when it is off. */
  readonly metrics: Listener | undefined
  readonly stop: (options?: StopOptions) => Promise<void>
  /** Replaces the server certificate shortly before its end. */
  readonly renewCertificate: () => Promise<void>
  /** The end of the server certificate; undefined without HTTPS. */
  readonly certificateEnd: () => Date | undefined
}

/** Names that always mean this machine. */
const loopbackNames = ['localhost', '127.0.0.1', '::1']
const wildcardAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * Opens the listeners, and the certificates for HTTPS.
 *
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`; then no listener stays open
 * @throws {CertificatesError} when the certificates cannot be used
 */
export async function openListeners(
  settings: Settings,
  now: () => Date,
  log: Pick<Log, 'warn'>,
): Promise<OpenListeners> {
  const { HOST, PORT, HTTPS_PORT, DATA_DIR } = settings
  const http = PORT === null ? undefined : await listen(HOST, PORT, limitsOf(settings))
  const opened: (Listener | undefined)[] = [http]
  const stop = async (options?: StopOptions) => {
    await Promise.all(opened.map((listener) => listener?.stop(options)))
  }
  try {
    await makeFolder(DATA_DIR)
    const metrics = await openMetricsListener(settings)
    opened.push(metrics)
    const https = HTTPS_PORT === null ? undefined : await openSecure(settings, HTTPS_PORT, now, log)
    opened.push(https?.listener, https?.mtls)
    const first = http ?? https?.listener
    if (first === undefined) throw new TypeError('PORT and HTTPS_PORT are both off')
    const issuerUrl = settings.ISSUER_URL ?? first.url
    const mtlsUrl = https?.mtls && (settings.MTLS_AUTH_URL ?? https.mtls.url)
    const withAuthority = (listener: Listener, authUrl: string): OpenListener => ({
      listener,
      authority: {
        authUrl,
        issuerUrl,
        issuerUrlV2: settings.ISSUER_URL_V2 ?? authUrl,
        mtlsUrl,
      },
    })
    const plain = http && withAuthority(http, settings.AUTH_URL ?? http.url)
    const secure =
      https && withAuthority(https.listener, settings.HTTPS_AUTH_URL ?? https.listener.url)
    const mutual = https?.mtls && withAuthority(https.mtls, mtlsUrl ?? https.mtls.url)
    const all = [plain, secure, mutual].filter((one) => one !== undefined)
    const renewCertificate = https?.renewCertificate ?? (async () => {})
    const named = { http: plain, https: secure, first: all[0] as OpenListener, metrics }
    const certificateEnd = () => https?.certificateEnd()
    return { ...named, all, stop, renewCertificate, certificateEnd }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function openSecure(
  { HOST, ...settings }: Settings,
  port: number,
  now: () => Date,
  log: Pick<Log, 'warn'>,
) {
  const { LocalCertificates } = await import('../certificates/local-certificates.ts')
  const folder = join(settings.DATA_DIR, 'tls')
  const certificates = await LocalCertificates.open({
    folder,
    names: certificateNames(HOST, settings.HTTPS_NAMES, settings.HTTPS_AUTH_URL),
    now,
    onAuthorityReplaced: (reason) =>
      log.warn({ folder, reason }, 'the certificate authority was replaced: trust the new one'),
  })
  const listener = await listenSecurely(HOST, port, certificates.server, limitsOf(settings))
  const mtls = await openMutual({ HOST, ...settings }, certificates.server).catch(async (cause) => {
    await listener.stop()
    throw cause
  })
  return {
    listener,
    mtls,
    certificateEnd: () => new X509Certificate(certificates.server.certificate).validToDate,
    renewCertificate: async () => {
      if (!(await certificates.renew())) return
      for (const one of [listener, mtls]) one?.setIdentity(certificates.server)
    },
  }
}

/** A listener of its own, because a browser would ask its user for a certificate. */
async function openMutual(
  { HOST, MTLS_PORT, ...settings }: Settings,
  identity: TlsIdentity,
): Promise<SecureListener | undefined> {
  if (MTLS_PORT === null) return undefined
  return listenSecurely(HOST, MTLS_PORT, identity, limitsOf(settings), {
    requestsClientCertificate: true,
  })
}

const limitsOf = ({
  KEEP_ALIVE_SECONDS,
  REUSE_PORT,
}: Pick<Settings, 'KEEP_ALIVE_SECONDS' | 'REUSE_PORT'>) => ({
  keepAliveTimeout: KEEP_ALIVE_SECONDS * 1000,
  reusePort: REUSE_PORT,
})

function certificateNames(
  host: string,
  configured: readonly string[],
  publicUrl: string | undefined,
): readonly string[] {
  const names = [...loopbackNames, ...(wildcardAddresses.has(host) ? [] : [host]), ...configured]
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}
